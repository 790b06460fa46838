import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsString, Max, Min, ValidateBy, ValidateIf } from 'class-validator';
import { isId, toInstant } from '#domain';
import { isJsonObject, isText } from './values.js';

/** What reads a value once its shape is known: gives the form that is kept, or throws `invalid-request`. */
export type Conversion = (value: unknown, path: string) => unknown;

export interface BodyField {
  readonly name: string;
  readonly optional: boolean;
  /** The class of an object in this field. */
  readonly nested?: () => Type;
  readonly convert?: Conversion;
}

const fieldsKey = Symbol('body fields');

/** The fields of a body class, in the order they were written. */
export const bodyFieldsOf = (type: Type): ReadonlyMap<string, BodyField> =>
  (Reflect.getMetadata(fieldsKey, type) as Map<string, BodyField> | undefined) ??
  new Map<string, BodyField>();

const remember =
  (field: Omit<BodyField, 'name'>): PropertyDecorator =>
  (prototype, property) => {
    const type = prototype.constructor;
    const fields = new Map(bodyFieldsOf(type as Type));
    const name = String(property);
    Reflect.defineMetadata(fieldsKey, fields.set(name, { ...field, name }), type);
  };

interface Presence {
  readonly optional?: true;
}

const present = (_: object, value: unknown): boolean => value !== undefined;

interface FieldParts extends Presence {
  readonly documented: ApiPropertyOptions;
  readonly checks: readonly PropertyDecorator[];
  readonly nested?: () => Type;
  readonly convert?: Conversion;
}

const field = ({ documented, checks, optional, nested, convert }: FieldParts): PropertyDecorator =>
  applyDecorators(
    remember({
      optional: optional === true,
      ...(nested === undefined ? {} : { nested }),
      ...(convert === undefined ? {} : { convert }),
    }),
    ApiProperty({ ...documented, required: optional !== true } as ApiPropertyOptions),
    ...(optional === true ? [ValidateIf(present)] : []),
    ...checks,
  );

const check = (name: string, validate: (value: unknown) => boolean, message: string): PropertyDecorator =>
  ValidateBy({ name, validator: { validate, defaultMessage: () => message } });

/** An id that a client may choose or repeat: 1 to 256 characters, no control characters (C45). */
export const Id = (presence: Presence = {}): PropertyDecorator =>
  field({
    ...presence,
    documented: { type: String, minLength: 1, maxLength: 256 },
    checks: [check('isId', isId, 'must be a string of 1 to 256 characters without control characters')],
  });

/** Text for people: up to `longest` characters. */
export const Text = ({ longest, ...presence }: Presence & { longest: number }): PropertyDecorator =>
  field({
    ...presence,
    documented: { type: String, maxLength: longest },
    checks: [
      IsString({ message: 'must be a string' }),
      check('isText', isText(longest), `must have at most ${String(longest)} characters`),
    ],
  });

export const OneOf = ({ values, ...presence }: Presence & { values: readonly string[] }): PropertyDecorator =>
  field({
    ...presence,
    documented: { type: String, enum: [...values] },
    checks: [IsIn([...values], { message: `must be one of ${values.join(', ')}` })],
  });

export const Flag = ({ fallback, ...presence }: Presence & { fallback: boolean }): PropertyDecorator =>
  field({
    ...presence,
    documented: { type: Boolean, default: fallback },
    checks: [IsBoolean({ message: 'must be true or false' })],
  });

export const Whole = ({
  least,
  most,
  ...presence
}: Presence & { least: number; most: number }): PropertyDecorator => {
  const message = `must be a whole number from ${String(least)} to ${String(most)}`;
  return field({
    ...presence,
    documented: { type: 'integer', minimum: least, maximum: most },
    checks: [IsInt({ message }), Min(least, { message }), Max(most, { message })],
  });
};

/** RFC 3339 with a time and an offset; kept in UTC with milliseconds. */
export const Instant = (presence: Presence = {}): PropertyDecorator =>
  field({
    ...presence,
    documented: { type: String, format: 'date-time' },
    checks: [],
    convert: toInstant,
  });

/** An object whose content is the client's own. */
export const FreeObject = (presence: Presence = {}): PropertyDecorator =>
  field({
    ...presence,
    documented: { type: 'object', additionalProperties: true },
    checks: [check('isJsonObject', isJsonObject, 'must be a JSON object')],
  });

/** Any JSON value, null included. */
export const FreeValue = (presence: Presence = {}): PropertyDecorator =>
  field({ ...presence, documented: { description: 'Any JSON value.' }, checks: [] });

/** An object with fields of its own. */
export const Nested = ({ type, ...presence }: Presence & { type: () => Type }): PropertyDecorator =>
  field({
    ...presence,
    documented: { type },
    checks: [check('isJsonObject', isJsonObject, 'must be a JSON object')],
    nested: type,
  });

/** An object that another reader checks; `type` documents it and names the fields it may have. */
export const Checked = ({
  type,
  convert,
  ...presence
}: Presence & { type: () => Type; convert: Conversion }): PropertyDecorator =>
  field({ ...presence, documented: { type }, checks: [], convert });

/** A field of such an object. */
export const Told = (documented: ApiPropertyOptions, presence: Presence = {}): PropertyDecorator =>
  field({ ...presence, documented, checks: [] });
