import {
  ancestorToAsk,
  answerToEnd,
  decide,
  decideCancellation,
  decideLate,
  evolve,
  evolveCancellation,
  evolveLate,
  lateCandidates,
  rootRevisionOf,
  type CancellationScope,
} from '#domain';
import { designRules, sweep, type KnownNode, type SweepRules } from '#saga';

/** What a saga's runtime promises beside what is decided: a test takes one of these away. */
export interface RuntimeRules {
  /** A child whose link nobody announced is announced by the saga. */
  readonly announces: boolean;
  /** A late link holds the low-water mark until the certificates it reopened are settled. */
  readonly lateLinksHoldMark: boolean;
  /** The opening of an answer to a task's end is taken up, whoever wrote it. */
  readonly readsOwnOpenings: boolean;
  /** A certificate's lines, and notes beside a task, are appended at the exact revision they were decided at. */
  readonly exact: { readonly certificate: boolean; readonly late: boolean };
  /** The root's own event comes before `CancellationOpened`. */
  readonly rootFirst: boolean;
}

/** Everything the explorer runs that a mutation may replace: the real code, and how the runtime uses it. */
export interface Rules {
  readonly decide: typeof decide;
  readonly evolve: typeof evolve;
  readonly decideLate: typeof decideLate;
  readonly evolveLate: typeof evolveLate;
  readonly decideCancellation: typeof decideCancellation;
  readonly evolveCancellation: typeof evolveCancellation;
  readonly rootRevisionOf: typeof rootRevisionOf;
  readonly answerToEnd: typeof answerToEnd;
  readonly ancestorToAsk: typeof ancestorToAsk;
  readonly lateCandidates: typeof lateCandidates;
  readonly sweep: typeof sweep;
  readonly onTheWay: SweepRules;
  /** What a sweep is told of a task. */
  readonly known: (known: KnownNode, scope: CancellationScope) => KnownNode;
  readonly runtime: RuntimeRules;
}

export const realRules: Rules = {
  decide,
  evolve,
  decideLate,
  evolveLate,
  decideCancellation,
  evolveCancellation,
  rootRevisionOf,
  answerToEnd,
  ancestorToAsk,
  lateCandidates,
  sweep,
  onTheWay: designRules,
  known: (known) => known,
  runtime: {
    announces: true,
    lateLinksHoldMark: true,
    readsOwnOpenings: true,
    exact: { certificate: true, late: true },
    rootFirst: true,
  },
};
