import type { CancelMode, LinkPolicy, OnEnd } from '#domain';

/** Tasks are numbers from 0; the smaller is the older. */
export interface LinkOf {
  readonly child: number;
  readonly parent: number;
  readonly policy: LinkPolicy;
  readonly onEnd: OnEnd;
}

/** Somebody who acts once, and may vanish between any two appends. */
export type Handler =
  | ({ readonly kind: 'create' | 'adopt' } & LinkOf)
  | {
      readonly kind: 'cancel';
      readonly id: string;
      readonly root: number;
      readonly mode: CancelMode;
      readonly cascade: boolean;
    }
  | { readonly kind: 'descendants'; readonly id: string; readonly root: number }
  /** Does each of these at most once, in any order, whenever the task takes it. */
  | { readonly kind: 'agent'; readonly task: number; readonly acts: readonly AgentAct[] };

export type AgentAct = 'start' | 'complete' | 'fail' | 'decline' | 'acknowledge';

/** What stands before anybody acts. */
export type Given =
  { readonly submit: number; readonly link?: Omit<LinkOf, 'child'> } | { readonly start: number };

export interface Configuration {
  readonly name: string;
  readonly given: readonly Given[];
  readonly handlers: readonly Handler[];
  /** Default 1. */
  readonly sagas?: number;
  /** Times that a saga, and a handler, may vanish; default 0. */
  readonly sagaCrashes?: number;
  readonly handlerCrashes?: number;
  /** A saga decides first and appends later, so that another one may have come between. */
  readonly twoPhase?: boolean;
  /** The first of several sagas may vanish for good. */
  readonly losesLeader?: boolean;
  /** The place of every link is kept, not only of those to the roots of cancellations of the descendants. */
  readonly placesLinks?: boolean;
  /** A saga that crashed may have lost its state and start at the beginning; default true. */
  readonly losesState?: boolean;
}

/** How many tasks take part. */
export const tasksOf = ({ given, handlers }: Configuration): number => {
  const named = [
    ...given.map((fact) => ('submit' in fact ? fact.submit : fact.start)),
    ...handlers.map((handler) => ('child' in handler ? handler.child : 0)),
  ];
  return Math.max(...named) + 1;
};

/** Ids of the cancellations that are asked for. */
export const cancellationsOf = ({ handlers }: Configuration): readonly string[] =>
  handlers.flatMap((handler) => ('id' in handler ? [handler.id] : []));

/** Roots of cancellations of the descendants only: of their links the places in the log count. */
export const placedRootsOf = (configuration: Configuration): ReadonlySet<number> => {
  const { handlers, placesLinks } = configuration;
  if (placesLinks === true) return new Set(Array.from({ length: tasksOf(configuration) }, (_, task) => task));
  return new Set(handlers.flatMap((handler) => (handler.kind === 'descendants' ? [handler.root] : [])));
};
