import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { invalid } from '#domain';
import { bodyFieldsOf, type BodyField } from './body-fields.js';
import { isJsonObject } from './values.js';

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** A name that is not ours could be anything: the answer repeats its beginning. */
const shownNameLengthMax = 100;

/** @throws DomainError `invalid-request` naming the first field that is not known */
export const refuseUnknown = (body: object, fields: ReadonlyMap<string, BodyField>, path: string): void => {
  const unknown = Object.keys(body).find((name) => !fields.has(name));
  if (unknown !== undefined)
    throw invalid(join(path, unknown.slice(0, shownNameLengthMax)), 'is not a field of this request');
};

const refuseMissing = (body: object, fields: ReadonlyMap<string, BodyField>, path: string): void => {
  for (const { name, optional } of fields.values()) {
    if (!optional && !Object.hasOwn(body, name)) throw invalid(join(path, name), 'is required');
  }
};

const messageOf = (error: ValidationError): string =>
  Object.values(error.constraints ?? {})[0] ?? 'is not valid';

/** Only a copy of the checked fields is handed to the validator: free content never meets its reflection (C45). */
const refuseInvalid = (body: Record<string, unknown>, type: Type<object>, path: string): void => {
  const candidate = new type();
  for (const name of Object.keys(body)) Reflect.set(candidate, name, body[name]);
  const [error] = validateSync(candidate, { forbidUnknownValues: false, stopAtFirstError: true });
  if (error !== undefined) throw invalid(join(path, error.property), messageOf(error));
};

const convert = (value: unknown, field: BodyField, path: string): unknown => {
  if (field.nested !== undefined) return readFields(value, field.nested() as Type<object>, path);
  return field.convert === undefined ? value : field.convert(value, path);
};

/**
 * Reads an object by its class: unknown fields are refused by name, missing ones too, then each value is checked.
 * Answers a plain object with the fields that were sent; free content is the very value that came.
 * @throws DomainError `invalid-request` naming the field by its path
 */
export const readFields = (value: unknown, type: Type<object>, path = ''): Record<string, unknown> => {
  if (!isJsonObject(value)) throw invalid(path === '' ? 'body' : path, 'must be a JSON object');
  const fields = bodyFieldsOf(type);
  refuseUnknown(value, fields, path);
  refuseMissing(value, fields, path);
  refuseInvalid(value, type, path);
  const read: Record<string, unknown> = {};
  for (const field of fields.values()) {
    if (Object.hasOwn(value, field.name))
      read[field.name] = convert(value[field.name], field, join(path, field.name));
  }
  return read;
};

/** Bodies whose fields are all optional may be left out. */
export const bodyOptionalKey = Symbol('body optional');
export const BodyOptional: ClassDecorator = (type) => {
  Reflect.defineMetadata(bodyOptionalKey, true, type);
};

/** Checks `@Body()` parameters by their class; leaves every other parameter alone. */
@Injectable()
export class BodyPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' || metatype === undefined || bodyFieldsOf(metatype).size === 0) return value;
    if (value === undefined || value === null) {
      if (Reflect.hasMetadata(bodyOptionalKey, metatype)) return {};
      throw invalid('body', 'is empty');
    }
    return readFields(value, metatype as Type<object>);
  }
}
