import { invalid, jsonDepthMax, wellFormed } from '#domain';

/**
 * What must not come in can stand in a JSON text only so: as an escape (NUL, half of a surrogate pair), as the name
 * `__proto__`, or as a number with a big exponent or very many digits. Anything else needs no closer look.
 */
const suspicious = /\\u|__proto__|\d[eE]\+?\d{3}|\d{309}/;

const openBrace = 0x7b;
const openBracket = 0x5b;

/** More opening brackets than levels allowed: only then can the text be nested too deep. */
const mayBeDeep = (text: string): boolean => {
  let open = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === openBrace || unit === openBracket) open += 1;
    if (open > jsonDepthMax) return true;
  }
  return false;
};

interface Fault {
  /** Ready to be joined: `.name` or `[index]`. */
  readonly path: string;
  readonly reason: string;
}

const fault = (reason: string): Fault => ({ path: '', reason });

/** A key as an answer may show it: what made it unfit to be stored also makes it unfit to be repeated. */
const shown = (key: string): string => key.slice(0, 100).replace(/[\0\p{Cs}]/gu, '\ufffd');

const textFault = (text: string): Fault | undefined =>
  wellFormed(text) ? undefined : fault('must not contain NUL or half of a surrogate pair');

const scalarFault = (value: unknown): Fault | undefined => {
  if (typeof value === 'string') return textFault(value);
  return typeof value === 'number' && !Number.isFinite(value) ? fault('is a number out of range') : undefined;
};

const keyFault = (key: string): Fault | undefined =>
  key === '__proto__' ? fault('is a name that is not allowed') : textFault(key);

/** The recursion is bounded by the depth that it checks. */
const faultOf = (value: unknown, depth: number): Fault | undefined => {
  if (typeof value !== 'object' || value === null) return scalarFault(value);
  if (depth > jsonDepthMax) return fault(`is nested deeper than ${String(jsonDepthMax)} levels`);
  for (const [key, member] of Object.entries(value)) {
    const found = keyFault(key) ?? faultOf(member, depth + 1);
    if (found === undefined) continue;
    const step = Array.isArray(value) ? `[${key}]` : `.${shown(key)}`;
    return { path: `${step}${found.path}`, reason: found.reason };
  }
  return undefined;
};

/** Characters of a path in an error. */
const pathLengthMax = 400;

/**
 * JSON that cannot be kept and given back unchanged is refused at the door: C13 (NUL and lone halves, in keys
 * too), C45 (`__proto__`), numbers that JSON cannot write again, depth. The text tells whether to look at all.
 * @throws DomainError `invalid-request` naming the field, or the `whole`
 */
export const assertStorable = (text: string, value: unknown, whole = 'params'): void => {
  if (!suspicious.test(text) && !mayBeDeep(text)) return;
  const found = faultOf(value, 1);
  if (found !== undefined)
    throw invalid(found.path.replace(/^\./, '').slice(0, pathLengthMax) || whole, found.reason);
};
