import { isHighHalf } from './prefix.js';

/** Bytes that one UTF-16 unit adds in UTF-8; a half of a surrogate pair counts half of the pair's four. */
const bytesOfUnit = (unit: number): number => {
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit <= 0xdfff ? 2 : 3;
};

/** Bytes of a well-formed text in UTF-8. */
export const utf8Bytes = (text: string): number => {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) bytes += bytesOfUnit(text.charCodeAt(index));
  return bytes;
};

/** The longest beginning of a JSON text that takes at most `limit` bytes when it is quoted again. */
export const quotedPrefix = (jsonText: string, limit: number): string => {
  let bytes = 2; // The quotes around it.
  let end = 0;
  for (; end < jsonText.length; end += 1) {
    const unit = jsonText.charCodeAt(end);
    bytes += unit === 0x22 || unit === 0x5c ? 2 : bytesOfUnit(unit);
    if (bytes > limit) break;
  }
  if (end > 0 && end < jsonText.length && isHighHalf(jsonText.charCodeAt(end - 1))) end -= 1;
  return jsonText.slice(0, end);
};
