import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Json } from '#domain';

// The package's types say `exports.default`, its code says `module.exports`: the default import is the function itself.
const rfc8785 = canonicalize as unknown as (value: unknown) => string | undefined;

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Name-based UUID of version 8 (RFC 9562 5.8): the first 128 bits of the SHA-256 of the JSON array, with version and
 * variant set. The same parts give the same id on every instance; an id must be derived from all that it means.
 */
export const nameBasedUuid = (parts: readonly (string | number | null)[]): string => {
  const bytes = sha256(JSON.stringify(parts));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** SHA-256 (hex) of a value in RFC 8785 form: the same request gives the same hash, whatever the order of its keys. */
export const requestHash = (value: Json | object): string => sha256(rfc8785(value) ?? 'null').toString('hex');
