import type { Move } from './moves.js';
import { codeOf } from './streams.js';
import type { World } from './world.js';

/** An event that a saga has taken up: what it is about, and where it stands among the events it reads. */
export interface Mark {
  readonly what: number;
  readonly from: number;
}

export interface Saga {
  /** Events read. */
  readonly position: number;
  /** Children to be announced, and cancellations to be carried on. */
  readonly links: readonly Mark[];
  readonly cancellations: readonly Mark[];
  /** Decided, and not appended yet. */
  readonly inFlight?: Move;
  /** It never acts again. */
  readonly isGone?: true;
}

/** Everything at one moment. */
export interface State {
  readonly world: World;
  /** Heads of the events that mean something to a saga, in the order of the log, from the first that anybody did. */
  readonly log: readonly number[];
  /** What each handler has in mind: '' before it begins, 'gone' when it never acts again. */
  readonly handlers: readonly string[];
  readonly sagas: readonly Saga[];
  /** Times that somebody may still vanish. */
  readonly crashes: { readonly saga: number; readonly handler: number };
}

export interface Step {
  readonly state: State;
  readonly label: () => string;
  /** Nobody has to take it. */
  readonly optional: boolean;
  /** A promise that this step itself breaks. */
  readonly problem?: string;
}

export const newSaga = (position: number): Saga => ({ position, links: [], cancellations: [] });

/** Where a saga that lost its memory starts again: at the first event whose consequences may not stand. */
export const lowWaterMark = ({ position, links, cancellations }: Saga): number =>
  Math.min(position, ...links.map(({ from }) => from), ...cancellations.map(({ from }) => from));

const markKey = ({ what, from }: Mark, { log, crashes }: State): string =>
  String.fromCharCode(what) + (crashes.saga > 0 ? codeOf(log[from] ?? 0) : '');

/** What a saga knows, and what it may still read: all of it anew from its mark, while it may crash. */
const sagaKey = (saga: Saga, state: State): string => {
  if (saga.isGone === true) return '|gone';
  const { log, crashes } = state;
  let key = '|';
  for (let index = crashes.saga > 0 ? lowWaterMark(saga) : saga.position; index < log.length; index += 1) {
    if (index === saga.position) key += '^';
    key += codeOf(log[index] ?? 0);
  }
  for (const mark of saga.links) key += `,${markKey(mark, state)}`;
  for (const mark of saga.cancellations) key += `;${markKey(mark, state)}`;
  return saga.inFlight === undefined ? key : `${key}!${codeOf(saga.inFlight.heads.at(-1)?.id ?? 0)}`;
};

/** States with one key have the same future. */
export const keyOf = (state: State): string => {
  const { world, handlers, crashes, sagas } = state;
  let key = codeOf(world.id) + handlers.join('/') + String(crashes.saga) + String(crashes.handler);
  for (const saga of sagas) key += sagaKey(saga, state);
  return key;
};
