import { invalid } from '../errors.js';
import { wellFormed } from './well-formed.js';

/** Characters (UTF-16 units) of an id that a client chooses: task, context, message, artifact, key. */
export const idLengthMax = 256;

// Control characters of ASCII and Latin-1 (C0, DEL, C1).
// eslint-disable-next-line no-control-regex
const control = /[\u0000-\u001f\u007f-\u009f]/;

/** 1 to 256 characters, none of them a control character or a lone half of a surrogate pair (C13, C45). */
export const isId = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= idLengthMax &&
  !control.test(value) &&
  wellFormed(value);

/** @throws DomainError `invalid-request` naming the field */
export function assertId(value: unknown, field: string): asserts value is string {
  if (typeof value !== 'string') throw invalid(field, 'must be a string');
  if (!isId(value)) {
    throw invalid(field, `must have 1 to ${String(idLengthMax)} characters and no control characters`);
  }
}
