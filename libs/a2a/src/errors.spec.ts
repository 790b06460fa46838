import { DomainError, invalid, type ErrorCode } from '#domain';
import { errorAnswer } from './json-rpc/error.js';
import { isUnexpected, type Operation } from './errors.js';

const answerOf = (code: ErrorCode, operation: Operation = 'send') =>
  errorAnswer(new DomainError(code, 'words'), operation);

describe('the error table', () => {
  it.each([
    ['invalid-request', -32602, 'INVALID_PARAMS'],
    ['idempotency-conflict', -32602, 'INVALID_PARAMS'],
    ['payload-too-large', -32602, 'INVALID_PARAMS'],
    ['revision-mismatch', -32602, 'INVALID_PARAMS'],
    ['link-refused', -32602, 'INVALID_PARAMS'],
    ['answer-refused', -32602, 'INVALID_PARAMS'],
    ['task-not-found', -32001, 'TASK_NOT_FOUND'],
    ['cancellation-not-found', -32001, 'TASK_NOT_FOUND'],
    ['task-is-terminal', -32004, 'UNSUPPORTED_OPERATION'],
    ['cancellation-open', -32004, 'UNSUPPORTED_OPERATION'],
    ['transition-not-allowed', -32004, 'UNSUPPORTED_OPERATION'],
    ['claim-lost', -32004, 'UNSUPPORTED_OPERATION'],
    ['artifact-not-open', -32006, 'INVALID_AGENT_RESPONSE'],
    ['artifact-sealed', -32006, 'INVALID_AGENT_RESPONSE'],
    ['unauthenticated', -32000, 'INTERNAL_ERROR'],
    ['forbidden', -32000, 'INTERNAL_ERROR'],
    ['rate-limited', -32603, 'INTERNAL_ERROR'],
    ['unavailable', -32603, 'INTERNAL_ERROR'],
    ['task-unreadable', -32603, 'INTERNAL_ERROR'],
  ] as const)('%s is %i %s', (code, wireCode, reason) => {
    const { error } = answerOf(code);
    expect(error.code).toBe(wireCode);
    expect(error.data?.[0]).toMatchObject({ reason, domain: 'a2a-protocol.org', metadata: { code } });
  });

  it('an ended task refuses a cancel with -32002 and everything else with -32004', () => {
    expect(answerOf('task-is-terminal', 'cancel').error.code).toBe(-32002);
    expect(answerOf('task-is-terminal', 'subscribe').error.code).toBe(-32004);
  });

  it('an unknown caller gets HTTP 401, a caller who may not 403, all else 200', () => {
    expect(answerOf('unauthenticated').status).toBe(401);
    expect(answerOf('forbidden').status).toBe(403);
    expect(answerOf('task-not-found').status).toBe(200);
  });
});

it('a bad field is named in words and in BadRequest', () => {
  const { error } = errorAnswer(invalid('message.parts', 'must not be empty'), 'send');
  expect(error.message).toBe('message.parts: must not be empty');
  expect(error.data?.[1]).toEqual({
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field: 'message.parts', description: 'must not be empty' }],
  });
});

it('the ledger in trouble says when to try again, and nothing else', () => {
  const { error } = errorAnswer(
    new DomainError('unavailable', 'SQLITE_FULL at /data', { path: '/data' }),
    'send',
  );
  expect(JSON.stringify(error)).not.toMatch(/SQLITE|data\b.*\/data/);
  expect(error.data?.[1]).toEqual({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' });
});

it('an absent task and a forbidden one are told apart by nothing', () => {
  const of = (message: string) =>
    errorAnswer(new DomainError('task-not-found', message, { taskId: message }), 'get');
  expect(of('a')).toEqual(of('b'));
});

it.each([new TypeError('cannot read secret'), 'secret', undefined])(
  'an error nobody expected says nothing: %p',
  (error) => {
    expect(isUnexpected(error)).toBe(true);
    const { error: told } = errorAnswer(error, 'send');
    expect(told.code).toBe(-32603);
    expect(JSON.stringify(told)).not.toContain('secret');
  },
);
