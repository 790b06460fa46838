import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { a2aStates, type LedgerRow, type RequestedBy } from '#domain';

/** What the schemas of answers are made of. The types of the answers keep each list of fields complete. */
export type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
export type Schema = Schemas[string];

export const text: Schema = { type: 'string' };
export const whole: Schema = { type: 'integer', minimum: 0 };
export const flag: Schema = { type: 'boolean' };
export const instant: Schema = { type: 'string', format: 'date-time' };
export const free: Schema = { type: 'object', additionalProperties: true };
export const anything: Schema = { description: 'Any JSON value.' };
export const oneOf = (...names: readonly string[]): Schema => ({ type: 'string', enum: [...names] });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const ref = (name: string): Schema => ({ $ref: getSchemaPath(name) });

/** A field of an answer that may be absent. */
export interface Maybe {
  readonly mayBeAbsent: Schema;
}
export const maybe = (schema: Schema): Maybe => ({ mayBeAbsent: schema });

/** Every field of an answer, marked where its type allows it to be absent: neither can be forgotten. */
type Fields<Type> = {
  readonly [Key in keyof Type]-?: object extends Pick<Type, Key> ? Maybe : Schema;
};

const isMaybe = (field: Schema | Maybe): field is Maybe => 'mayBeAbsent' in field;

export const objectOf = <Type extends object>(fields: Fields<Type>): Schema => {
  const named = Object.entries<Schema | Maybe>(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(
      named.map(([name, field]) => [name, isMaybe(field) ? field.mayBeAbsent : field]),
    ),
    required: named.filter(([, field]) => !isMaybe(field)).map(([name]) => name),
  };
};

/** Whole numbers under these names, none of them absent. */
export const counted = (names: readonly string[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, whole])),
  required: [...names],
});

export const loss = objectOf<LedgerRow['losses'][number]>({ field: text, note: text });
export const policy = oneOf('cascade', 'cooperative', 'abandon');
export const onEnd = oneOf('abandon', 'cascade');
export const a2aState = oneOf(...a2aStates);
export const requestedBy = objectOf<RequestedBy>({
  principal: text,
  role: oneOf('user', 'agent', 'operator', 'system'),
  via: text,
  requestId: maybe(text),
});
