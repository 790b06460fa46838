import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { DomainError } from '#domain';
import {
  CancellationQuery,
  CancellationsQuery,
  DialectQuery,
  EventsQuery,
  FeedQuery,
  FormatQuery,
  PlanQuery,
  ReplayQuery,
  RowsQuery,
  TreeQuery,
} from '../dto/queries.dto.js';
import { filterOf } from '../rows-filter.js';
import { readQuery } from './query.pipe.js';

const fieldRefused = (type: Type<object>, query: Record<string, unknown>): unknown => {
  try {
    readQuery(query, type);
  } catch (error) {
    if (error instanceof DomainError) return error.detail.field;
    throw error;
  }
  return undefined;
};

describe('C16 a query', () => {
  it('has defaults for what is absent or empty, and ignores what it does not know', () => {
    expect(readQuery({ foo: '1', pageSize: '' }, RowsQuery)).toMatchObject({ pageSize: 50 });
    expect(readQuery({}, EventsQuery)).toMatchObject({ limit: 100, direction: 'forwards' });
  });

  it('is read as values of its kind', () => {
    expect(readQuery({ from: '0', limit: '1000', direction: 'backwards' }, EventsQuery)).toEqual({
      from: 0,
      limit: 1_000,
      direction: 'backwards',
    });
    expect(readQuery({ at: '2026-01-01T00:00:00Z' }, ReplayQuery)).toMatchObject({
      at: '2026-01-01T00:00:00.000Z',
    });
    expect(readQuery({ types: 'TaskCanceled, TaskStarted' }, FeedQuery)).toMatchObject({
      types: ['TaskCanceled', 'TaskStarted'],
    });
  });

  it.each([
    [EventsQuery, { limit: 'abc' }, 'limit'],
    [EventsQuery, { limit: '0' }, 'limit'],
    [EventsQuery, { limit: '1001' }, 'limit'],
    [EventsQuery, { limit: '1e2' }, 'limit'],
    [EventsQuery, { from: '-1' }, 'from'],
    [EventsQuery, { from: ['1', '2'] }, 'from'],
    [EventsQuery, { direction: 'up' }, 'direction'],
    [RowsQuery, { pageSize: '0' }, 'pageSize'],
    [RowsQuery, { pageSize: '101' }, 'pageSize'],
    [RowsQuery, { pageSize: 'abc' }, 'pageSize'],
    [RowsQuery, { status: 'working' }, 'status'],
    [RowsQuery, { state: 'working' }, 'state'],
    [RowsQuery, { state: 'TASK_STATE_RUNNING' }, 'state'],
    [RowsQuery, { stoppedBy: 'me' }, 'stoppedBy'],
    [RowsQuery, { link: 'job:1' }, 'link'],
    [RowsQuery, { updatedAfter: '1700000000' }, 'updatedAfter'],
    [RowsQuery, { updatedAfter: '2026-01-01' }, 'updatedAfter'],
    [RowsQuery, { contextId: 'a'.repeat(257) }, 'contextId'],
    [ReplayQuery, { revision: '1.5' }, 'revision'],
    [ReplayQuery, { at: 'now' }, 'at'],
    [DialectQuery, { as: 'agentd' }, 'as'],
    [DialectQuery, { as: 'A2A-1.0' }, 'as'],
    [FormatQuery, { format: 'yaml' }, 'format'],
    [FormatQuery, { format: 'JSON' }, 'format'],
    [CancellationQuery, { format: 'html' }, 'format'],
    [CancellationQuery, { nodesAfter: 'a'.repeat(257) }, 'nodesAfter'],
    [CancellationsQuery, { status: 'open' }, 'status'],
    [CancellationsQuery, { since: '2026-01-01' }, 'since'],
    [CancellationsQuery, { pageSize: '101' }, 'pageSize'],
    [PlanQuery, { nodesAfter: ['a', 'b'] }, 'nodesAfter'],
    [CancellationQuery, { wait: 'forever' }, 'wait'],
    [CancellationQuery, { timeoutMs: '-1' }, 'timeoutMs'],
    [TreeQuery, { depth: '0' }, 'depth'],
    [FeedQuery, { types: 'a;b' }, 'types'],
  ])('of %p is refused by the name of its parameter: %j', (type, query, field) => {
    expect(fieldRefused(type as Type<object>, query)).toBe(field);
  });

  it('for rows becomes a filter with what was asked for and nothing else', () => {
    const query = readQuery({ state: 'TASK_STATE_FAILED', link: 'run:r-1' }, RowsQuery) as RowsQuery;
    expect(filterOf(query)).toEqual({ states: ['failed', 'stopped'], link: 'run:r-1' });
  });
});
