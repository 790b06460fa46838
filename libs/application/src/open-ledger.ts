import type { CancellationReader, LiveTasks, TaskCommands, TaskReader } from './application.js';
import { coreOf } from './assembly/core.js';
import { commandsOf } from './assembly/commands.js';
import { cancellationsOf, cascadeOf, countersOf, liveOf, readerOf } from './assembly/services.js';
import type { LedgerCounters, LedgerOptions } from './ledger-options.js';
import { openLog } from './log.js';
import type { CascadeDesk } from './ports/cascade-desk.js';
import type { Positions } from './positions.js';

export interface Ledger {
  readonly logId: string;
  readonly commands: TaskCommands;
  readonly reader: TaskReader;
  readonly live: LiveTasks;
  readonly cancellations: CancellationReader;
  /** What the saga and the timers read and write. */
  readonly cascade: CascadeDesk;
  readonly positions: Positions;
  /** Edge position of the newest event that this process appended or has seen. */
  readonly newest: string | undefined;
  readonly counters: LedgerCounters;
  /** Throws folds away: every one, or one task's hot fold. Nothing but speed is lost. */
  forget(taskId?: string): void;
  close(): Promise<void>;
}

/**
 * Opens the ledger on a store: fixes or reads the log's id, and follows the log before anything is served.
 * @throws DomainError `unavailable`, or what the store throws, when the log cannot be opened
 */
export const openLedger = async (options: LedgerOptions): Promise<Ledger> => {
  const { store, namespace, ids, clock } = options;
  const core = coreOf(options, await openLog(store, namespace, ids, clock));
  const { logId, positions, hub, hot, notices } = core;
  await hub.start();
  return {
    logId,
    positions,
    commands: commandsOf(core),
    reader: readerOf(core),
    live: liveOf(core),
    cancellations: cancellationsOf(core),
    cascade: cascadeOf(core),
    get newest() {
      return hub.newest && positions.toEdge(hub.newest);
    },
    get counters() {
      return countersOf(core);
    },
    forget: (taskId) => {
      if (taskId === undefined) core.forget();
      else hot.drop(taskId);
    },
    close: async () => {
      await notices.close();
      await hub.close();
    },
  };
};
