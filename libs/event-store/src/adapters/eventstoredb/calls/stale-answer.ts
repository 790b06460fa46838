import type { ReadStreamOptions, Revision } from '../../../port.js';

/**
 * Whether an answer ends before the newest revision that is known of its stream, although it should have gone on: then
 * it comes from a leader that was deposed and answers from its old log. A full page forwards proves nothing.
 */
export const endsTooEarly = (
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
