import { Injectable, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import { invalid } from '#domain';
import { queryFieldsOf } from './query-fields.js';

/**
 * Reads query parameters by their class (C16): each text is a value of its kind or is refused by name, an empty one
 * counts as absent, a parameter that the class does not name is ignored.
 */
export const readQuery = (query: Readonly<Record<string, unknown>>, type: Type<object>): object => {
  const read = new type();
  for (const [name, reader] of queryFieldsOf(type)) {
    const text = query[name];
    if (text === undefined || text === '') continue;
    if (typeof text !== 'string') throw invalid(name, 'is given more than once');
    Reflect.set(read, name, reader(text, name));
  }
  return read;
};

/** Checks `@Query()` parameters by their class; leaves every other parameter alone. */
@Injectable()
export class QueryPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'query' || metatype === undefined || queryFieldsOf(metatype).size === 0) return value;
    return readQuery((value ?? {}) as Record<string, unknown>, metatype as Type<object>);
  }
}
