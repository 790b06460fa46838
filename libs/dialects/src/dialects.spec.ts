import { extensionUri } from '#a2a';
import { rowOf, type Task, type TaskDocument, type TaskState } from '#domain';
import { dialectNames, exportTask, type TaskRecord } from './index.js';

const at = '2026-01-02T03:04:05.678Z';

const taskOf = (state: TaskState, more: Partial<Task> = {}): Task => ({
  taskId: 't-1',
  contextId: 'c-1',
  tenant: 'acme',
  owner: 'alice',
  revision: 3,
  lastEventId: '00000000-0000-4000-8000-000000000003',
  createdAt: at,
  updatedAt: at,
  state,
  statusAt: at,
  statusRevision: 3,
  statusHasMessage: false,
  admitted: true,
  rootTaskId: 't-1',
  childCount: 0,
  children: [],
  requests: [],
  artifacts: [],
  hasResult: false,
  commands: [],
  bytes: 100,
  ...more,
});

/** A task that its agent is asked to stop. */
const asked = {
  cancellationId: 'c-7',
  openCancellation: {
    cancellationId: 'c-7',
    requestedAt: at,
    dueAt: at,
    mode: 'cooperative',
    cascade: true,
    request: {
      mode: 'cooperative',
      cascade: true,
      requestedBy: { principal: 'alice', role: 'user', via: 'ledger-api' },
    },
    stoppedBy: 'user',
  },
} as const satisfies Partial<Task>;

const empty: TaskDocument = { messages: [], artifacts: [] };

const record = (state: TaskState, more: Partial<Task> = {}, document: TaskDocument = empty): TaskRecord => {
  const task = taskOf(state, more);
  return { task, document, row: rowOf(task) };
};

const fieldsLost = (dialect: 'a2a-1.0' | 'sema', told: TaskRecord): string[] =>
  exportTask(dialect, told).losses.map(({ field }) => field);

describe('dialects', () => {
  it('are two today', () => {
    expect(dialectNames).toEqual(['a2a-1.0', 'sema']);
  });

  it('name themselves beside what they say', () => {
    expect(exportTask('sema', record('working'))).toMatchObject({ dialect: 'sema' });
  });
});

describe('sema', () => {
  it.each([
    ['submitted', {}, 'running', 'working', ['status', 'contextId']],
    ['working', {}, 'running', 'working', ['contextId']],
    ['input-required', {}, 'parked', 'input-required', ['contextId']],
    ['auth-required', {}, 'parked', 'input-required', ['state', 'contextId']],
    ['completed', {}, 'completed', 'completed', ['contextId']],
    ['failed', {}, 'failed', 'failed', ['contextId']],
    ['rejected', {}, 'failed', 'failed', ['admitted', 'contextId']],
    ['canceled', { stoppedBy: 'user' }, 'killed', 'canceled', ['contextId']],
    ['canceled', { stoppedBy: 'parent' }, 'killed', 'canceled', ['contextId']],
    ['stopped', { stoppedBy: 'operator' }, 'killed', 'failed', ['contextId']],
    ['stopped', { stoppedBy: 'lease-expired' }, 'killed', 'failed', ['contextId']],
    ['stopped', { stoppedBy: 'orphaned' }, 'killed', 'failed', ['contextId']],
    ['stopped', { stoppedBy: 'deadline' }, 'killed', 'failed', ['contextId']],
  ] as const)('tells %s %j as %s, which sema reads as %s', (state, more, status, semaState, lost) => {
    const told = record(state, more);
    expect(exportTask('sema', told).value).toMatchObject({
      taskId: 't-1',
      status,
      state: semaState,
      ...more,
    });
    expect(fieldsLost('sema', told)).toEqual(lost);
  });

  it('carries the token that a parked row is resumed by', () => {
    const told = exportTask('sema', record('input-required', { checkpointToken: 'k' }));
    expect(told.value).toMatchObject({ status: 'parked', checkpointToken: 'k' });
  });

  it('says that a task is asked to stop, which its five words do not show', () => {
    const told = record('working', asked);
    expect(exportTask('sema', told).value).toMatchObject({ status: 'running', state: 'working' });
    expect(fieldsLost('sema', told)).toEqual(['contextId', 'cancellationId', 'cancellation']);
  });

  it('says that a row names its parent and not the terms of the link, nor the cancellation that ended it', () => {
    const parent = { taskId: 'p', policy: 'cooperative', onEnd: 'cascade' } as const;
    const told = record('stopped', { stoppedBy: 'orphaned', parent, cancellationId: 'c-7' });
    expect(exportTask('sema', told).value).toMatchObject({ parentTaskId: 'p', stoppedBy: 'orphaned' });
    expect(fieldsLost('sema', told)).toEqual(['contextId', 'policy', 'onEnd', 'cancellationId']);
  });

  it('says that content is lost where there is some', () => {
    const document: TaskDocument = {
      metadata: { a: 1 },
      messages: [{ revision: 0, message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } }],
      artifacts: [{ artifactId: 'a', parts: [{ text: 'x' }] }],
    };
    expect(fieldsLost('sema', record('working', {}, document))).toEqual([
      'messages',
      'artifacts',
      'metadata',
      'contextId',
    ]);
  });
});

describe('A2A 1.0', () => {
  it.each([
    ['submitted', {}, 'TASK_STATE_SUBMITTED'],
    ['working', {}, 'TASK_STATE_WORKING'],
    ['input-required', {}, 'TASK_STATE_INPUT_REQUIRED'],
    ['auth-required', {}, 'TASK_STATE_AUTH_REQUIRED'],
    ['completed', {}, 'TASK_STATE_COMPLETED'],
    ['failed', {}, 'TASK_STATE_FAILED'],
    ['rejected', {}, 'TASK_STATE_REJECTED'],
    ['canceled', { stoppedBy: 'user' }, 'TASK_STATE_CANCELED'],
    ['canceled', { stoppedBy: 'parent' }, 'TASK_STATE_CANCELED'],
    ['stopped', { stoppedBy: 'deadline' }, 'TASK_STATE_FAILED'],
    ['stopped', { stoppedBy: 'orphaned' }, 'TASK_STATE_FAILED'],
  ] as const)('tells %s %j as %s', (state, more, expected) => {
    expect(exportTask('a2a-1.0', record(state, more)).value).toMatchObject({
      id: 't-1',
      contextId: 'c-1',
      status: { state: expected, timestamp: at },
    });
  });

  it('names a cancellation while the agent is asked, and loses the one that ended a task', () => {
    const open = record('working', asked);
    expect(exportTask('a2a-1.0', open).value).toMatchObject({
      status: { state: 'TASK_STATE_WORKING' },
      metadata: { [extensionUri]: { cancellationId: 'c-7', dueAt: at } },
    });
    expect(fieldsLost('a2a-1.0', open)).not.toContain('cancellationId');
    const ended = record('canceled', { stoppedBy: 'user', cancellationId: 'c-7' });
    expect(fieldsLost('a2a-1.0', ended)).toContain('cancellationId');
  });

  it('says what of the row has no place in a Task', () => {
    const told = record('stopped', {
      stoppedBy: 'operator',
      link: { kind: 'run', id: 'r' },
      parent: { taskId: 'p', policy: 'cascade', onEnd: 'abandon' },
    });
    expect(fieldsLost('a2a-1.0', told)).toEqual([
      'stoppedBy',
      'link',
      'parentTaskId',
      'policy',
      'onEnd',
      'owner',
      'admitted',
    ]);
  });
});
