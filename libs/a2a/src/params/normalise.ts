import type { JsonObject } from '#domain';

/**
 * ProtoJSON parsers take both spellings of a field, camelCase and snake_case; unknown fields are ignored, null is
 * absent (specification §5.5, §5.7). What is kept here is only known fields, in the order in which they are written;
 * what stands inside `metadata` and `data` is never touched.
 */
export interface Field {
  readonly name: string;
  readonly snake: string;
  readonly read: (value: unknown) => unknown;
}

/** Says that the field is absent. */
const absent = undefined;

export const asIs = (value: unknown): unknown => value;

/** An empty string for an optional string means absent. */
export const optionalText = (value: unknown): unknown => (value === '' ? absent : value);

export const listOf =
  (read: (value: unknown) => unknown) =>
  (value: unknown): unknown =>
    Array.isArray(value) ? value.map((item: unknown) => read(item)) : value;

const snakeOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const field = (name: string, read: (value: unknown) => unknown = asIs): Field => ({
  name,
  snake: snakeOf(name),
  read,
});

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keeps the known fields of an object; anything else is handed on for the schema to refuse. */
export const objectOf =
  (fields: readonly Field[]) =>
  (value: unknown): unknown => {
    if (!isObject(value)) return value;
    const kept: Record<string, unknown> = {};
    for (const { name, snake, read } of fields) {
      const given = value[name] ?? value[snake];
      if (given === null || given === undefined) continue;
      const found = read(given);
      if (found !== absent) kept[name] = found;
    }
    return kept;
  };
