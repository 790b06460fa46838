import {
  openLedger,
  openLog,
  positionsOf,
  systemClock,
  systemIds,
  type Clock,
  type Ledger,
  type LedgerOptions,
} from '#application';
import type { Caller, Role } from '#domain';
import { openViews, type Views } from '#views';
import {
  agentCard,
  JsonRpcDoor,
  LedgerCallContext,
  LedgerRequestHandler,
  type CallFacts,
} from '../src/index.js';
import type { JsonRpcAnswer, StreamFrame } from '../src/index.js';

const namespace = 'ledger';
const card = agentCard('http://ledger.example', '0.0.0');

export const callerOf = (principal: string, role: Role = 'user', tenant = 'acme'): Caller => ({
  tenant,
  principal,
  role,
  via: 'a2a-jsonrpc',
});
export const alice = callerOf('alice');
export const agent = callerOf('worker', 'agent');

/** What a call says beside its params. */
export type Told = Partial<Omit<CallFacts, 'signal'>> & { readonly signal?: AbortSignal };

type Result = Readonly<Record<string, unknown>>;

/** A ledger in memory with its JSON-RPC door. */
export interface MemoryLedger {
  readonly ledger: Ledger;
  readonly views: Views;
  /** Errors that the handler did not expect. */
  readonly unexpected: readonly unknown[];
  /** One call as `alice`, version 1.0. */
  call(method: string, params: unknown, told?: Told): Promise<JsonRpcAnswer>;
  /** The body's text as it is, without a version unless `version` is given. */
  raw(text: string, version?: { header?: string; query?: string }): Promise<JsonRpcAnswer>;
  close(): Promise<void>;
}

export interface MemoryLedgerOptions {
  readonly store: LedgerOptions['store'];
  readonly clock?: Clock;
  readonly blockingTimeoutMs?: number;
  readonly cancelMode?: LedgerOptions['cancelMode'];
}

const never = new AbortController().signal;

const contextOf = (version: string, { signal = never, caller = alice, ...more }: Told): LedgerCallContext =>
  new LedgerCallContext({ caller, version, ...more, signal: () => signal });

export const openMemoryLedger = async (options: MemoryLedgerOptions): Promise<MemoryLedger> => {
  const { store, clock = systemClock, blockingTimeoutMs = 5_000, cancelMode } = options;
  const logId = await openLog(store, namespace, systemIds, clock);
  const positions = positionsOf(logId);
  const views = await openViews({ file: ':memory:', store, namespace, logId, positions, clock });
  const { snapshots } = views;
  const ledger = await openLedger({
    store,
    snapshots,
    clock,
    ids: systemIds,
    namespace,
    hotFoldsMiB: 8,
    ...(cancelMode !== undefined && { cancelMode }),
    appended: (position) => {
      views.noteAppended(position);
    },
  });
  views.start();
  const unexpected: unknown[] = [];
  const handler = new LedgerRequestHandler({
    commands: ledger.commands,
    reader: ledger.reader,
    live: ledger.live,
    views: views.reader,
    card: () => card,
    blockingTimeoutMs,
    onUnexpected: (error) => unexpected.push(error),
  });
  const door = new JsonRpcDoor(handler);
  const call = (method: string, params: unknown, told: Told = {}): Promise<JsonRpcAnswer> =>
    door.answer({
      text: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      versionHeader: '1.0',
      context: (version) => contextOf(version, told),
    });
  return {
    ledger,
    views,
    unexpected,
    call,
    raw: (text, version) =>
      door.answer({
        text,
        versionHeader: version?.header,
        versionQuery: version?.query,
        context: (served) => contextOf(served, {}),
      }),
    close: async () => {
      await ledger.close();
      await views.close();
      await store.close();
    },
  };
};

/** The result of an answer that is no error. */
export const resultOf = (answer: JsonRpcAnswer): Result => {
  if (answer.kind === 'stream') throw new Error('a stream, where one answer was expected');
  if (!('result' in answer.body)) throw new Error(JSON.stringify(answer.body));
  return answer.body.result as Result;
};

/** The code of an answer that must be an error; 0 for one that is not. */
export const codeOf = (answer: JsonRpcAnswer): number =>
  answer.kind === 'body' && 'error' in answer.body ? answer.body.error.code : 0;

/** The field that an error names. */
export const fieldOf = (answer: JsonRpcAnswer): unknown => {
  const error = answer.kind === 'body' && 'error' in answer.body ? answer.body.error : undefined;
  const violations = error?.data?.[1] as { fieldViolations?: { field: string }[] } | undefined;
  return violations?.fieldViolations?.[0]?.field;
};

export const framesOf = (answer: JsonRpcAnswer): AsyncGenerator<StreamFrame, void, undefined> => {
  if (answer.kind !== 'stream') throw new Error(JSON.stringify(answer.body));
  return answer.frames;
};

/** What a frame is about and shows, in a few words: `task WORKING`, `status COMPLETED`, `artifact a1`. */
export const wordsOf = ({ body }: StreamFrame): string => {
  const frame = ('result' in body ? body.result : {}) as Record<string, Record<string, unknown> | undefined>;
  const stateOf = (shown: Record<string, unknown>): string =>
    (shown.status as { state: string }).state.replace('TASK_STATE_', '');
  if (frame.task !== undefined) return `task ${stateOf(frame.task)}`;
  if (frame.statusUpdate !== undefined) return `status ${stateOf(frame.statusUpdate)}`;
  const artifact = frame.artifactUpdate?.artifact as { artifactId: string } | undefined;
  return artifact === undefined ? `error ${JSON.stringify(body)}` : `artifact ${artifact.artifactId}`;
};

/** Every frame of a stream that ends by itself. */
export const allWords = async (answer: JsonRpcAnswer): Promise<string[]> => {
  const words: string[] = [];
  for await (const frame of framesOf(answer)) words.push(wordsOf(frame));
  return words;
};
