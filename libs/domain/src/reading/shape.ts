import { isJsonObject } from '../json.js';
import { isInstant } from '../time.js';

/** What is wrong with a value, or undefined. */
export type Check = (value: unknown) => string | undefined;

export const text: Check = (value) => (typeof value === 'string' ? undefined : 'must be a string');
export const id: Check = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be a string that is not empty';
export const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
export const revision: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'must be a revision';
export const count: Check = (value) => (Number.isFinite(value) ? undefined : 'must be a number');
export const instant: Check = (value) => (isInstant(value) ? undefined : 'must be YYYY-MM-DDTHH:mm:ss.sssZ');
export const object: Check = (value) => (isJsonObject(value) ? undefined : 'must be an object');

export const oneOf = (...words: readonly string[]): Check => {
  const known: ReadonlySet<unknown> = new Set(words);
  return (value) => (known.has(value) ? undefined : `must be one of ${words.join(', ')}`);
};

export const listOf =
  (item: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    for (const member of value as unknown[]) {
      const error = item(member);
      if (error !== undefined) return `a member ${error}`;
    }
    return undefined;
  };

type Shape = Readonly<Record<string, Check>>;

/** An object with these members; what else it has is kept and never looked at. */
export const shape = (required: Shape, optional: Shape = {}): Check => {
  const must = Object.entries(required);
  const may = Object.entries(optional);
  return (value) => {
    if (!isJsonObject(value)) return 'must be an object';
    for (const [name, check] of must) {
      const error = check(value[name]);
      if (error !== undefined) return `${name} ${error}`;
    }
    for (const [name, check] of may) {
      if (value[name] === undefined) continue;
      const error = check(value[name]);
      if (error !== undefined) return `${name} ${error}`;
    }
    return undefined;
  };
};

/** The content envelope; `enc` says how the body is kept. */
export const content = (body: Check): Check => shape({ enc: oneOf('none'), body });

/** One of several shapes, told apart by their member `kind`. */
export const kinds = (variants: Shape): Check => {
  const known = new Map(Object.entries(variants));
  return (value) => {
    const variant = isJsonObject(value) && typeof value.kind === 'string' ? known.get(value.kind) : undefined;
    return variant === undefined ? 'must be of a known kind' : variant(value);
  };
};
