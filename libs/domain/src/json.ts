/** JSON as TypeScript sees it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members that are there: optional fields stay absent instead of becoming `undefined`. */
export const defined = <Value extends object>(value: Value): Defined<Value> => {
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) members[name] = member;
  }
  return members as Defined<Value>;
};

type Optional<Value> = { [Key in keyof Value]-?: undefined extends Value[Key] ? Key : never }[keyof Value];
export type Defined<Value> = {
  [Key in keyof Value as Key extends Optional<Value> ? never : Key]: Value[Key];
} & { [Key in Optional<Value> & keyof Value]?: Exclude<Value[Key], undefined> };
