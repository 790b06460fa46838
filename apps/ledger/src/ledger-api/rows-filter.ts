import { statesShownAs } from '#domain';
import type { ListFilter } from '#views';
import type { RowsQuery } from './dto/queries.dto.js';

type MayLack<Filter> = { readonly [Key in keyof Filter]: Filter[Key] | undefined };

/** Leaves out what was not asked for. */
export const defined = <Filter extends object>(filter: MayLack<Filter>): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Filter;

export const filterOf = (query: RowsQuery): ListFilter =>
  defined<ListFilter>({
    status: query.status,
    states: query.state === undefined ? undefined : statesShownAs(query.state),
    stoppedBy: query.stoppedBy,
    contextId: query.contextId,
    parentTaskId: query.parentTaskId,
    rootTaskId: query.rootTaskId,
    link: query.link,
    updatedAfter: query.updatedAfter,
  });
