import {
  endedHere,
  factOn,
  factsOf,
  isClosed,
  settledWorker,
  type CancellationLog,
  type NodeFact,
  type WorkerState,
} from '#domain';

/** Names of survivors, and of unconfirmed tasks, in one answer. */
export const namesMax = 1_000;

/** A cancellation as far as it is known: its stream, and its root where that has no line there yet. */
export interface KnownCancellation {
  readonly log: CancellationLog;
  readonly rootLine?: NodeFact;
}

/** The lines of a certificate, and names among them; all in their order. */
interface Lines {
  /** By depth, then by id. */
  readonly inOrder: readonly NodeFact[];
  /** Waited for, or out of reach. */
  readonly open: readonly string[];
  /** Left alone by this cancellation; they may have ended by themselves since. */
  readonly spared: readonly string[];
  /** Ended by this cancellation, with a worker who may still be at it. */
  readonly unconfirmed: readonly string[];
}

const byDepthAndId = ({ node: one }: NodeFact, { node: other }: NodeFact): number =>
  one.depth - other.depth || (one.taskId < other.taskId ? -1 : 1);

/** What is known of the worker behind a line. */
export const workerOf = ({ log }: Pick<KnownCancellation, 'log'>, line: NodeFact): WorkerState => {
  const fact = factOn(log.workerFacts, line.node.taskId);
  return line.kind === 'settled' ? settledWorker(line.node, fact) : (fact?.worker ?? 'unnotified');
};

const isOpen = (line: NodeFact): boolean =>
  line.kind === 'waiting' || line.node.outcome === 'unreachable' || line.node.outcome === 'unknownRemote';

const isSpared = (line: NodeFact): boolean =>
  line.kind === 'settled' && (line.node.outcome === 'abandoned' || line.node.outcome === 'refused');

const sorted = (known: KnownCancellation, lines: readonly NodeFact[]): Lines => {
  const names = (holds: (line: NodeFact) => boolean): readonly string[] =>
    lines.filter(holds).map(({ node }) => node.taskId);
  return {
    inOrder: lines,
    open: names(isOpen),
    spared: names(isSpared),
    unconfirmed: names(
      (line) => line.kind === 'settled' && endedHere(line.node) && !isClosed(workerOf(known, line)),
    ),
  };
};

const kept = new WeakMap<CancellationLog, Lines>();

const linesIn = (log: CancellationLog): Lines => {
  const before = kept.get(log);
  if (before !== undefined) return before;
  const facts = factsOf(log.nodes).map(([, fact]) => fact);
  const lines = sorted({ log }, facts.sort(byDepthAndId));
  kept.set(log, lines);
  return lines;
};

/** Sorted once for all the pages of one state of a certificate; the root stands before every other line. */
export const linesOf = (known: KnownCancellation): Lines => {
  const lines = linesIn(known.log);
  if (known.rootLine === undefined) return lines;
  const root = sorted(known, [known.rootLine]);
  return {
    inOrder: [...root.inOrder, ...lines.inOrder],
    open: [...root.open, ...lines.open],
    spared: [...root.spared, ...lines.spared],
    unconfirmed: [...root.unconfirmed, ...lines.unconfirmed],
  };
};
