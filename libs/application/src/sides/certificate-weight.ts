import type { CancellationLog, JsonObject } from '#domain';

/** Characters of JSON that count as one member: about what a line takes. */
export const memberCharacters = 500;

const lengths = new WeakMap<JsonObject, number>();

/** A request's metadata stays the same object in every fold of its certificate: it is measured once. */
const lengthOf = (metadata: JsonObject | undefined): number => {
  if (metadata === undefined) return 0;
  const known = lengths.get(metadata);
  if (known !== undefined) return known;
  const { length } = JSON.stringify(metadata);
  lengths.set(metadata, length);
  return length;
};

/** Members that the fold of a certificate holds. A caller may say nearly a megabyte with each cancel: that counts. */
export const weightOf = (log: CancellationLog | undefined): number => {
  if (log === undefined) return 0;
  const { nodeCount, repeats, reason = '', metadata } = log;
  return nodeCount + repeats.length + Math.floor((reason.length + lengthOf(metadata)) / memberCharacters);
};
