import type { CascadeDesk, Clock, LedgerLogger, OpenTrigger, SagaState } from '#application';
import type { EventStore, Position, RecordedEvent } from '#event-store';
import { Cascades } from '../cascades/cascades.js';
import type { SagaMetrics } from '../telemetry.js';
import { Beginnings } from '../triggers/beginnings.js';
import { Births } from '../triggers/births.js';
import { LateLinks } from '../triggers/late-links.js';
import { LinkRepairs } from '../triggers/link-repairs.js';
import { endsWaiting, meaningOf } from '../triggers/meaning.js';
import { Triggers } from '../triggers/triggers.js';
import { Busy, type Bell } from '../work/busy.js';
import { Calls, textOf } from '../work/calls.js';
import { Slots } from '../work/slots.js';
import { Checkpoint } from './checkpoint.js';
import { readLog } from './log-reader.js';

/** Reads and appends of the saga in flight, of all cancellations together. */
export const callsInFlightMax = 256;

/** Events that are being worked on; with so many of them, reading the log pauses. */
export const busyMax = 10_000;

export interface RunnerParts {
  readonly store: EventStore;
  readonly desk: CascadeDesk;
  readonly state: SagaState;
  readonly logId: string;
  readonly clock: Clock;
  readonly logger: LedgerLogger;
  readonly metrics: SagaMetrics;
  readonly linkPatienceMs: number;
  /** Rings when the run has come further. */
  readonly bell: Bell;
}

/**
 * One run from the checkpoint to the end of the process, or until another runner is found: follows the log, takes up
 * what has consequences, and moves the checkpoint on. Whatever it holds beside that stands in the streams.
 */
export class Runner {
  readonly #stop = new AbortController();
  readonly #slots = new Slots(callsInFlightMax);
  readonly #births = new Births();
  readonly #busy: Busy;
  readonly #calls: Calls;
  readonly #links: LinkRepairs;
  readonly #cascades: Cascades;
  readonly #triggers: Triggers;
  #reading: Promise<void> = Promise.resolve();

  private constructor(
    private readonly parts: RunnerParts,
    private readonly checkpoint: Checkpoint,
  ) {
    const { desk, clock, linkPatienceMs } = parts;
    const busy = new Busy(parts.bell);
    const calls = new Calls({ ...parts, slots: this.#slots, signal: this.#stop.signal });
    const beginnings = new Beginnings(calls, desk);
    const links = new LinkRepairs({ calls, desk, patienceMs: linkPatienceMs });
    const now = () => clock.now();
    const cascades = new Cascades({ ...parts, calls, busy, inFlightMax: callsInFlightMax, now });
    const late = new LateLinks({ calls, desk, beginnings, cascades });
    this.#calls = calls;
    this.#links = links;
    this.#cascades = cascades;
    this.#busy = busy;
    this.#triggers = new Triggers({
      ...parts,
      busy,
      open: checkpoint.open,
      beginnings,
      links,
      late,
      cascades,
    });
  }

  /** @param overtaken called when another runner is found, or another log; this one is to be stopped then */
  static async start(parts: RunnerParts, overtaken: () => void): Promise<Runner> {
    const { prefix } = parts.desk.names;
    const runner = new Runner(parts, await Checkpoint.load({ ...parts, prefix }, overtaken));
    for (const trigger of runner.checkpoint.resumed) void runner.#resume(trigger);
    runner.#reading = readLog(runner.position, {
      ...parts,
      prefix,
      signal: runner.#stop.signal,
      changed: overtaken,
      take: (events) => runner.#take(events),
    });
    return runner;
  }

  get position(): Position {
    return this.checkpoint.position;
  }

  /** Events whose consequences are not all appended. */
  get open(): number {
    return this.checkpoint.open.size;
  }

  /** Everything that was taken up is appended, or waits for a task. */
  get isIdle(): boolean {
    return this.#busy.count === 0;
  }

  get inFlight(): number {
    return this.#slots.inUse;
  }

  /** Ends what is in flight, and saves how far it came. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#links.stop();
    this.parts.bell.ring();
    await this.#reading;
    await this.#slots.idle();
    await this.checkpoint.close();
  }

  async #take(events: readonly RecordedEvent[]): Promise<void> {
    for (const recorded of events) this.#takeUp(recorded);
    const last = events.at(-1);
    if (last !== undefined) this.checkpoint.moveTo(last.position, last.id);
    this.parts.bell.ring();
    await this.#busy.below(busyMax, this.#stop.signal);
  }

  #takeUp(recorded: RecordedEvent): void {
    const { names } = this.parts.desk;
    this.#links.see(recorded);
    const taskId = names.taskIdOf(recorded.stream);
    if (taskId !== undefined && endsWaiting(recorded.type)) this.#cascades.ended(taskId, recorded.revision);
    const meaning = meaningOf(recorded, names, this.#births);
    if (meaning !== undefined) this.#triggers.take(recorded, meaning);
  }

  /** Open at the last save: read again, and handled as if it were new. */
  async #resume(trigger: OpenTrigger): Promise<void> {
    const { desk, logger } = this.parts;
    const { position, stream, revision } = trigger;
    this.checkpoint.open.add(trigger);
    this.#busy.add(1);
    try {
      const found = await this.#calls.ask({ call: 'resume', stream, revision }, () =>
        desk.event(stream, revision),
      );
      const meaning = found && meaningOf(found.recorded, desk.names);
      if (found === undefined || meaning === undefined) this.checkpoint.open.remove(position);
      else this.#triggers.take(found.recorded, meaning);
    } catch (error) {
      if (!this.#calls.stopped)
        logger.error({ ...trigger, error: textOf(error) }, 'an event was not resumed');
    } finally {
      this.#busy.add(-1);
    }
  }
}
