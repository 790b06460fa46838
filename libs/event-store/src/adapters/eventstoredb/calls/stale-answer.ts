import type { Position, ReadAllOptions, ReadStreamOptions, Revision } from '../../../port.js';

/**
 * Whether an answer ends before the newest revision that is known of its stream, although it should have gone on: then
 * it comes from a leader that was deposed and answers from its old log. A full page forwards proves nothing.
 */
export const streamEndsTooEarly = (
  events: readonly { readonly revision: bigint }[],
  { from, direction = 'forwards', limit }: ReadStreamOptions,
  newest: Revision,
): boolean => {
  if (direction === 'backwards') {
    const first = events[0];
    const wanted = from === undefined ? newest : Math.min(from, newest);
    return first === undefined || first.revision < BigInt(wanted);
  }
  if (events.length >= limit || (from ?? 0) > newest) return false;
  const last = events.at(-1);
  return last === undefined || last.revision < BigInt(newest);
};

/** The same of the log under a prefix, whose newest known event stands at `head`. */
export const logEndsTooEarly = (
  events: readonly { readonly position: { readonly commit: bigint } }[],
  { from, direction = 'forwards', limit }: Pick<ReadAllOptions, 'from' | 'direction' | 'limit'>,
  head: Position,
): boolean => {
  if (direction === 'backwards')
    // From a position on backwards, that one is not wanted, and which event stands before it is not known.
    return from === undefined && isBelow(events[0], head);
  if (events.length >= limit || (from !== undefined && from > head)) return false;
  return isBelow(events.at(-1), head);
};

const isBelow = (
  event: { readonly position: { readonly commit: bigint } } | undefined,
  head: Position,
): boolean => event === undefined || event.position.commit < BigInt(head);
