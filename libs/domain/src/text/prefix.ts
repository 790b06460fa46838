/** Whether a UTF-16 unit is the first half of a surrogate pair. */
export const isHighHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** The first characters (UTF-16 units) of a text; a surrogate pair is never cut in two. */
export const firstCharacters = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  return text.slice(0, isHighHalf(text.charCodeAt(limit - 1)) ? limit - 1 : limit);
};
