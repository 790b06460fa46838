import {
  nodeOf,
  type CancellationLog,
  type CancellationScope,
  type NodeOutcome,
  type SettledNode,
} from '#domain';
import type { KnownStreams, SweepRecord, SweepWork } from './known.js';
import { designRules, Sweep, type SweepRules } from './sweep.js';

type Carry = Extract<SweepWork, { kind: 'carry' }>;

/** Everything that a cancellation would append now. */
export interface SweepAppends {
  /** Each is one append to the task's own stream, and may be done without the others. */
  readonly carry: readonly Carry[];
  /** Appends beside that, in this order. */
  readonly records: readonly SweepRecord[];
  /** Some task is waited for. */
  readonly waits: boolean;
}

const nothing: SweepAppends = { carry: [], records: [], waits: false };

/** Reads whatever can be read; what would be carried on is only listed. */
const read = (run: Sweep, streams: KnownStreams): readonly Carry[] => {
  const carry: Carry[] = [];
  for (let work = run.take(1); work[0] !== undefined; work = run.take(1)) {
    const [piece] = work;
    if (piece.kind === 'carry') carry.push(piece);
    else run.tell(piece.taskId, streams.node(piece.taskId));
  }
  return carry;
};

/** Set right when the task can be read after all, or its peer answers; the later says more. */
const provisional: readonly NodeOutcome[] = ['unreachable', 'unknownRemote'];

const isProvisional = (outcome: NodeOutcome): boolean => provisional.includes(outcome);

/** A line stands for ever, but for one of a task that could not be seen. */
export const isLineDue = (log: CancellationLog, { taskId, outcome }: SettledNode): boolean => {
  const line = nodeOf(log, taskId);
  if (line?.kind !== 'settled') return true;
  const stands = line.node.outcome;
  if (!isProvisional(stands)) return false;
  return !isProvisional(outcome) || provisional.indexOf(outcome) > provisional.indexOf(stands);
};

const settledLines = (run: Sweep, log: CancellationLog): readonly SweepRecord[] => {
  const records: SweepRecord[] = [];
  for (let lines = run.takeSettled(); lines.length > 0; lines = run.takeSettled()) {
    const nodes = lines.filter((line) => isLineDue(log, line));
    if (nodes.length > 0) records.push({ kind: 'settle-nodes', nodes });
  }
  return records;
};

const recordsOf = (run: Sweep, log: CancellationLog, isAll: boolean): readonly SweepRecord[] => {
  const settled = settledLines(run, log);
  const awaited = run
    .takeAwaited()
    .filter(({ taskId }) => nodeOf(log, taskId) === undefined)
    .map((node): SweepRecord => ({ kind: 'await', node }));
  const isDone = isAll && settled.length === 0 && log.status === 'running';
  return isDone ? [{ kind: 'settle', whole: true }] : [...settled, ...awaited];
};

const isNoted = ({ cancellationId, rootTaskId }: CancellationScope, streams: KnownStreams): boolean =>
  streams.node(rootTaskId).late?.notedCancellationIds.includes(cancellationId) === true;

/**
 * `sweep(streams) → appends`: what a cancellation does next, from the streams alone. First its opening (of the
 * descendants only: the note beside the root), and nothing else before that stands; nothing at all where a task's end
 * has nobody to be answered for.
 */
export const sweep = (
  scope: CancellationScope,
  streams: KnownStreams,
  rules: SweepRules = designRules,
): SweepAppends => {
  const { log } = streams;
  if (scope.kind === 'descendants' && !isNoted(scope, streams))
    return { ...nothing, records: [{ kind: 'note' }] };
  const run = new Sweep(scope, [], rules);
  const carry = read(run, streams);
  if (log === undefined) return run.opens ? { ...nothing, records: [{ kind: 'open' }] } : nothing;
  const waits = run.waiting.size > 0;
  return { carry, records: recordsOf(run, log, carry.length === 0 && !waits), waits };
};
