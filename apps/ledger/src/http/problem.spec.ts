import { NotFoundException } from '@nestjs/common';
import { errorCodes } from 'fastify';
import { DomainError, invalid } from '#domain';
import { bodyBytesMax } from './json-body.js';
import { problems, toProblem } from './problem.js';

describe('an error at the edge', () => {
  it.each([
    ['invalid-request', 400],
    ['unauthenticated', 401],
    ['forbidden', 403],
    ['task-not-found', 404],
    ['cancellation-not-found', 404],
    ['task-is-terminal', 409],
    ['transition-not-allowed', 409],
    ['link-refused', 409],
    ['idempotency-conflict', 409],
    ['claim-lost', 409],
    ['cancellation-open', 409],
    ['revision-mismatch', 412],
    ['payload-too-large', 413],
    ['artifact-not-open', 422],
    ['artifact-sealed', 422],
    ['answer-refused', 422],
    ['rate-limited', 429],
    ['unavailable', 503],
    ['task-unreadable', 503],
  ] as const)('%s is %i', (code, status) => {
    expect(toProblem(new DomainError(code, 'why'))).toEqual({
      type: `urn:ledger:problem:${code}`,
      title: problems[code].title,
      status,
      code,
      detail: 'why',
    });
  });

  it('carries the details of a broken rule beside its code', () => {
    const refused = new DomainError('transition-not-allowed', 'no', {
      from: 'completed',
      to: 'working',
      allowed: [],
    });
    expect(toProblem(refused)).toMatchObject({ from: 'completed', to: 'working', allowed: [] });
    expect(toProblem(invalid('limit', 'is odd'))).toMatchObject({ field: 'limit', status: 400 });
  });

  it('keeps its own members when a detail has their names', () => {
    expect(toProblem(new DomainError('forbidden', 'no', { status: 1, code: 'x' }))).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
  });

  it.each([
    [
      new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(),
      { status: 413, code: 'payload-too-large', limit: bodyBytesMax },
    ],
    [
      new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH(),
      { status: 400, code: 'invalid-request', field: 'body' },
    ],
    [new NotFoundException(), { status: 404, code: 'route-not-found' }],
    [
      Object.assign(new Error('bad'), { code: 'FST_ERR_BAD_URL', statusCode: 400 }),
      { status: 400, field: 'path' },
    ],
    [Object.assign(new Error('x'), { code: 'append-too-large', limit: 5 }), { status: 413, limit: 5 }],
    [Object.assign(new Error('x'), { code: 'store-unavailable' }), { status: 503, code: 'unavailable' }],
    [Object.assign(new Error('x'), { code: 'outcome-unknown' }), { status: 503, code: 'unavailable' }],
  ])('of the layers below is told in our words: %s', (error, expected) => {
    expect(toProblem(error)).toMatchObject(expected);
  });

  it.each([new Error('password=hunter2'), 'text', undefined, null, 42])(
    'unknown says nothing of itself: %s',
    (error) => {
      const answer = toProblem(error);
      expect(answer).toMatchObject({ status: 500, code: 'internal' });
      expect(JSON.stringify(answer)).not.toContain('hunter2');
    },
  );
});
