import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Json } from '#domain';

// The package's types say `exports.default`, its code says `module.exports`: the default import is the function itself.
const rfc8785 = canonicalize as unknown as (value: unknown) => string | undefined;

const sha256 = (text: string): string => hash('sha256', text, 'hex');

/**
 * Name-based UUID of version 8 (RFC 9562 5.8): the first 128 bits of the SHA-256 of the JSON array, with version and
 * variant set. The same parts give the same id on every instance; an id must be derived from all that it means.
 */
export const nameBasedUuid = (parts: readonly (string | number | null)[]): string => {
  const hex = sha256(JSON.stringify(parts));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const clock = variant + hex.slice(17, 20);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${clock}-${hex.slice(20, 32)}`;
};

/** SHA-256 (hex) of a value in RFC 8785 form: the same request gives the same hash, whatever the order of its keys. */
export const requestHash = (value: Json | object): string => sha256(rfc8785(value) ?? 'null');
