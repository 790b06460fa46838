import { invalid } from '../errors.js';

/** Levels of nesting that content may have: whoever reads it later may be recursive. */
export const jsonDepthMax = 100;

// With the flag `u`, Cs matches only a half that has no other half.
const unstorable = /[\0\p{Cs}]/u;

/** No NUL and no lone half of a surrogate pair: such text cannot be stored and sent everywhere unchanged (C13). */
export const wellFormed = (text: string): boolean => !unstorable.test(text);

interface Visit {
  readonly value: unknown;
  readonly depth: number;
  /** Name or index in the value above; the path is only built for an error. */
  readonly name: string | number;
  readonly above?: Visit;
}

const pathOf = (visit: Visit): string => {
  const names: string[] = [];
  for (let at: Visit | undefined = visit; at !== undefined; at = at.above) {
    if (typeof at.name === 'number') names.push(`[${String(at.name)}]`);
    else names.push(at.above === undefined || at.above.name === '' ? at.name : `.${at.name}`);
  }
  return names.reverse().join('');
};

const assertText = (text: string, visit: Visit): void => {
  if (!wellFormed(text)) throw invalid(pathOf(visit), 'must not contain NUL or half of a surrogate pair');
};

/** Puts the members of a value on the stack, the last one first, so that the first is visited first. */
const open = (visit: Visit, stack: Visit[]): void => {
  const depth = visit.depth + 1;
  if (depth > jsonDepthMax)
    throw invalid(pathOf(visit), `is nested deeper than ${String(jsonDepthMax)} levels`);
  if (Array.isArray(visit.value)) {
    const items = visit.value as unknown[];
    for (let index = items.length - 1; index >= 0; index -= 1) {
      stack.push({ value: items[index], depth, name: index, above: visit });
    }
    return;
  }
  for (const [name, value] of Object.entries(visit.value as object).reverse() as [string, unknown][]) {
    assertText(name, visit);
    stack.push({ value, depth, name, above: visit });
  }
};

/**
 * Walks JSON that came from outside: every string and every key must be well formed (C13), nothing nested deeper
 * than {@link jsonDepthMax}. Without recursion, so that depth itself does no harm.
 * @param field name of the value in errors; empty for a whole body
 * @throws DomainError `invalid-request` naming the first offending field
 */
export const assertWellFormed = (value: unknown, field: string): void => {
  const stack: Visit[] = [{ value, depth: 0, name: field }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    if (typeof visit.value === 'string') assertText(visit.value, visit);
    else if (typeof visit.value === 'object' && visit.value !== null) open(visit, stack);
  }
};
