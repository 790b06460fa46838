import { DomainError } from '#domain';
import { extensionUri } from '../extension.js';
import { checkArtifact, checkMessage, checkParams } from './check.js';
import { methods, type Method } from './methods.js';

const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] };

const fieldOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError && error.code === 'invalid-request') return error.detail.field;
    throw error;
  }
  return 'nothing refused';
};
const refused = (method: Method, params: unknown): unknown => fieldOf(() => checkParams(method, params));
const refusedMessage = (more: object): unknown =>
  refused('SendMessage', { message: { ...message, ...more } });

describe('params of a send', () => {
  it.each([
    ['message', {}],
    ['message', { message: 'hi' }],
    ['message.messageId', { message: { role: 'ROLE_USER', parts: [{ text: 'x' }] } }],
    ['message.role', { message: { messageId: 'm', parts: [{ text: 'x' }] } }],
    ['message.parts', { message: { messageId: 'm', role: 'ROLE_USER' } }],
    ['configuration.historyLength', { message, configuration: { historyLength: -1 } }],
    ['configuration.historyLength', { message, configuration: { historyLength: 1.5 } }],
    ['configuration.historyLength', { message, configuration: { historyLength: '3' } }],
    ['configuration.historyLength', { message, configuration: { historyLength: 2 ** 31 } }],
    ['configuration.returnImmediately', { message, configuration: { returnImmediately: 'true' } }],
    ['configuration.returnImmediately', { message, configuration: { returnImmediately: 1 } }],
    [
      'configuration.taskPushNotificationConfig',
      { message, configuration: { taskPushNotificationConfig: 'url' } },
    ],
    ['configuration', { message, configuration: [] }],
    ['metadata', { message, metadata: [] }],
    ['tenant', { message, tenant: 7 }],
    [
      `metadata["${extensionUri}"].idempotencyKey`,
      { message, metadata: { [extensionUri]: { idempotencyKey: '' } } },
    ],
    [`metadata["${extensionUri}"].color`, { message, metadata: { [extensionUri]: { color: 'red' } } }],
  ])('name %s', (field, params) => {
    expect(refused('SendMessage', params)).toBe(field);
    expect(refused('SendStreamingMessage', params)).toBe(field);
  });

  it.each([
    ['message.messageId', { messageId: '' }],
    ['message.messageId', { messageId: 'x'.repeat(257) }],
    ['message.messageId', { messageId: 'a\nb' }],
    ['message.messageId', { messageId: 7 }],
    ['message.contextId', { contextId: 'x'.repeat(10_000) }],
    ['message.taskId', { taskId: ['t'] }],
    ['message.role', { role: 'user' }],
    ['message.role', { role: 'ROLE_UNSPECIFIED' }],
    ['message.role', { role: 3 }],
    ['message.parts', { parts: [] }],
    ['message.parts[0]', { parts: ['hi'] }],
    ['message.parts[0]', { parts: [{}] }],
    ['message.parts[0]', { parts: [{ text: 'a', data: 1 }] }],
    ['message.parts[0]', { parts: [{ text: 'a', data: null }] }],
    ['message.parts[0]', { parts: [{ filename: 'f' }] }],
    ['message.parts[1].text', { parts: [{ text: 'a' }, { text: 1 }] }],
    ['message.parts[0].raw', { parts: [{ raw: 'not base64!' }] }],
    ['message.parts[0].raw', { parts: [{ raw: 'aGkxA' }] }],
    ['message.parts[0].metadata', { parts: [{ text: 'a', metadata: 'm' }] }],
    ['message.metadata', { metadata: 'm' }],
    ['message.extensions[0]', { extensions: [1] }],
    ['message.referenceTaskIds[0]', { referenceTaskIds: [''] }],
  ])('name %s of a bad message', (field, more) => {
    expect(refusedMessage(more)).toBe(field);
  });

  it('are taken in both spellings and kept in camelCase, unknown fields left out', () => {
    const params = {
      message: {
        message_id: 'm1',
        context_id: 'c',
        task_id: 't',
        role: 'ROLE_USER',
        parts: [{ data: { snake_key: 1 }, media_type: 'application/json', metadata: { other_key: 2 } }],
        reference_task_ids: ['r'],
        metadata: { own_key: { inner_key: null } },
        surprise: true,
      },
      configuration: { history_length: 2, return_immediately: true, accepted_output_modes: ['text/plain'] },
      surprise: 1,
    };
    expect(checkParams('SendMessage', params)).toEqual({
      message: {
        messageId: 'm1',
        contextId: 'c',
        taskId: 't',
        role: 'ROLE_USER',
        parts: [{ data: { snake_key: 1 }, metadata: { other_key: 2 }, mediaType: 'application/json' }],
        referenceTaskIds: ['r'],
        metadata: { own_key: { inner_key: null } },
      },
      configuration: { historyLength: 2, returnImmediately: true, acceptedOutputModes: ['text/plain'] },
    });
  });

  it('take an empty string of an optional field, and null, as absent', () => {
    const params = { message: { ...message, taskId: '', contextId: null }, tenant: '', configuration: null };
    expect(checkParams('SendMessage', params)).toEqual({ message });
  });

  it('keep null as the data of a part', () => {
    const sent = { ...message, parts: [{ data: null, mediaType: 'application/json' }] };
    expect(checkParams('SendMessage', { message: sent })).toEqual({ message: sent });
  });

  it('keep bytes in the form that the codec writes', () => {
    const parts = [{ raw: '-_8' }, { raw: 'aGk=' }, { raw: '' }];
    expect(checkMessage({ ...message, parts }, 'message').parts).toEqual([
      { raw: '+/8=' },
      { raw: 'aGk=' },
      { raw: '' },
    ]);
  });

  it('C45 leave the prototype of objects alone', () => {
    const hostile = JSON.parse('{"constructor":{"prototype":{"x":1}},"toString":1}') as object;
    const checked = checkParams('SendMessage', { message: { ...message, metadata: hostile } });
    expect(checked).toEqual({ message: { ...message, metadata: hostile } });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe('C45 ids', () => {
  it.each([
    '__proto__',
    'constructor',
    'toString',
    '..',
    '../../x',
    'a/b',
    'a%2Fb',
    'x:cancel',
    '$all',
    '$ce-task',
    "a'); DROP TABLE events;--",
  ])('%s is an id like any other', (id) => {
    expect(checkParams('GetTask', { id })).toEqual({ id });
    expect(checkParams('CancelTask', { id })).toEqual({ id });
    expect(checkParams('SubscribeToTask', { id })).toEqual({ id });
  });

  it.each([
    [''],
    ['x'.repeat(257)],
    ['x'.repeat(300)],
    ['a\u0001b'],
    ['a\u007fb'],
    ['a\u0085b'],
    [7],
    [null],
    [['t']],
  ])('%p is malformed', (id) => {
    expect(refused('GetTask', { id })).toBe('id');
    expect(refused('CancelTask', { id })).toBe('id');
    expect(refused('SubscribeToTask', { id })).toBe('id');
  });
});

describe('C16 params of a list', () => {
  it.each([
    ['status', { status: 'TASK_STATE_RUNNING' }],
    ['status', { status: 'working' }],
    ['status', { status: 99 }],
    ['includeArtifacts', { includeArtifacts: 'no' }],
    ['includeArtifacts', { includeArtifacts: 'false' }],
    ['includeArtifacts', { include_artifacts: 0 }],
    ['pageSize', { pageSize: 0 }],
    ['pageSize', { page_size: 101 }],
    ['pageSize', { pageSize: 'abc' }],
    ['pageSize', { pageSize: '10' }],
    ['pageSize', { pageSize: 1.5 }],
    ['historyLength', { historyLength: -1 }],
    ['statusTimestampAfter', { statusTimestampAfter: 1_700_000_000 }],
    ['statusTimestampAfter', { statusTimestampAfter: '1700000000' }],
    ['statusTimestampAfter', { statusTimestampAfter: '2026-01-01' }],
    ['statusTimestampAfter', { statusTimestampAfter: '2026-02-30T00:00:00Z' }],
    ['pageToken', { pageToken: 7 }],
    ['contextId', { contextId: 'x'.repeat(257) }],
  ])('name %s in %j', (field, params) => {
    expect(refused('ListTasks', params)).toBe(field);
  });

  it('are all optional, and unknown ones are ignored', () => {
    expect(checkParams('ListTasks', undefined)).toEqual({});
    expect(
      checkParams('ListTasks', { foo: 1, pageToken: '', contextId: '', status: 'TASK_STATE_UNSPECIFIED' }),
    ).toEqual({});
  });

  it('keep false, and an instant in the form of the ledger', () => {
    const params = { includeArtifacts: false, statusTimestampAfter: '2026-01-01T02:00:00+02:00', status: 2 };
    expect(checkParams('ListTasks', params)).toEqual({
      includeArtifacts: false,
      statusTimestampAfter: '2026-01-01T00:00:00.000Z',
      status: 'TASK_STATE_WORKING',
    });
  });
});

describe('options of a cancel', () => {
  const at = (option: string): string => `metadata["${extensionUri}"].${option}`;

  it.each([
    ['mode', { mode: 'gently' }],
    ['graceMs', { graceMs: 10 }],
    ['graceMs', { graceMs: 86_400_001 }],
    ['cascade', { cascade: 'no' }],
    ['reason', { reason: 7 }],
    ['dryRun', { dryRun: true }],
    ['descendantsOnly', { descendantsOnly: false }],
  ])('name %s in %j', (option, options) => {
    expect(refused('CancelTask', { id: 't', metadata: { [extensionUri]: options } })).toBe(at(option));
  });

  it('are kept with everything else in the metadata', () => {
    const metadata = { [extensionUri]: { reason: 'r', cascade: false }, reason: 'plain', other: { a: [1] } };
    expect(checkParams('CancelTask', { id: 't', metadata })).toEqual({ id: 't', metadata });
  });
});

it('every method has a check', () => {
  for (const method of Object.keys(methods) as Method[]) expect(refused(method, 7)).toBe('');
});

it('an artifact is checked as a message is', () => {
  expect(checkArtifact({ artifact_id: 'a', parts: [{ text: '' }], name: '' }, 'artifact')).toEqual({
    artifactId: 'a',
    parts: [{ text: '' }],
  });
  expect(fieldOf(() => checkArtifact({ artifactId: 'a', parts: [] }, 'artifact'))).toBe('artifact.parts');
  expect(fieldOf(() => checkArtifact({ parts: [{ text: 'x' }] }, 'artifact'))).toBe('artifact.artifactId');
});
