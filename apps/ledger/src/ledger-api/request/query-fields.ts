import { applyDecorators, type Type } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { invalid, toInstant } from '#domain';

/** Query text as a value. @throws DomainError `invalid-request` naming the parameter */
export type QueryReader = (text: string, name: string) => unknown;

const fieldsKey = Symbol('query fields');

export const queryFieldsOf = (type: Type): ReadonlyMap<string, QueryReader> =>
  (Reflect.getMetadata(fieldsKey, type) as Map<string, QueryReader> | undefined) ??
  new Map<string, QueryReader>();

const field = (documented: ApiPropertyOptions, reader: QueryReader): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional(documented), (prototype: object, property: string | symbol) => {
    const type = prototype.constructor as Type;
    Reflect.defineMetadata(fieldsKey, new Map(queryFieldsOf(type)).set(String(property), reader), type);
  });

const wholeForm = /^\d{1,15}$/;

export const WholeParam = (least: number, most: number, fallback?: number): PropertyDecorator =>
  field({ type: 'integer', minimum: least, maximum: most, default: fallback }, (text, name) => {
    const value = wholeForm.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw invalid(name, `must be a whole number from ${String(least)} to ${String(most)}`);
  });

export const InstantParam = (): PropertyDecorator => field({ type: String, format: 'date-time' }, toInstant);

export const OneOfParam = (values: readonly string[], fallback?: string): PropertyDecorator =>
  field({ type: String, enum: [...values], default: fallback }, (text, name) => {
    if (values.includes(text)) return text;
    throw invalid(name, `must be one of ${values.join(', ')}`);
  });

/** Text of up to `longest` characters, in one of the forms `form` allows. */
export const TextParam = (
  longest: number,
  form?: { readonly pattern: RegExp; readonly allowed: string },
): PropertyDecorator =>
  field({ type: String, maxLength: longest }, (text, name) => {
    if (text.length > longest) throw invalid(name, `must have at most ${String(longest)} characters`);
    if (form !== undefined && !form.pattern.test(text)) throw invalid(name, `must be ${form.allowed}`);
    return text;
  });

/** Names separated by commas, at most 100. */
export const NamesParam = (): PropertyDecorator =>
  field({ type: String, description: 'Names separated by commas.' }, (text, name) => {
    const names = text.split(',').map((item) => item.trim());
    if (names.length <= 100 && names.every((item) => /^[A-Za-z]{1,64}$/.test(item))) return names;
    throw invalid(name, 'must be names separated by commas');
  });
