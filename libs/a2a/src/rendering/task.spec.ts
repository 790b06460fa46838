import { Task as TaskCodec } from '@a2a-js/sdk';
import fc from 'fast-check';
import type { Artifact, JsonObject, Message, TaskDocument } from '#domain';
import {
  agentMessage,
  asked,
  canceled,
  chunk,
  declined,
  history,
  received,
  says,
  second,
  stopped,
  submitted,
  userMessage,
  type History,
} from '../../spec/history.js';
import { extensionUri } from '../extension.js';
import { toTaskJson, type TaskRendering } from './task.js';

const render = ({ task, document }: History, rendering?: TaskRendering): JsonObject =>
  toTaskJson(task, document, rendering);

const statusOf = (told: History): JsonObject => render(told).status as JsonObject;

describe('C09 history', () => {
  const told = history(
    submitted(userMessage('m1')),
    says('TaskStarted', { message: agentMessage('s1') }),
    says('TaskProgressed', { message: agentMessage('s2') }),
    says('TaskCompleted', { message: agentMessage('s3') }),
  );
  const idsFor = (historyLength?: number): unknown =>
    (render(told, { historyLength }).history as Message[] | undefined)?.map(({ messageId }) => messageId);

  it.each([
    [undefined, ['m1', 's1', 's2']],
    [0, undefined],
    [1, ['s2']],
    [2, ['s1', 's2']],
    [99, ['m1', 's1', 's2']],
  ])('historyLength %p shows %p', (historyLength, expected) => {
    expect(idsFor(historyLength)).toEqual(expected);
  });

  it('leaves the key out when there is nothing to show', () => {
    expect(render(told, { historyLength: 0 })).not.toHaveProperty('history');
  });

  it('shows the current message in the status only', () => {
    expect(statusOf(told)).toMatchObject({ state: 'TASK_STATE_COMPLETED', message: { messageId: 's3' } });
  });

  it('keeps in the status the time of the event that last changed it', () => {
    const later = history(submitted(), says('TaskStarted'), received(userMessage('m2')));
    expect(statusOf(later)).toEqual({ state: 'TASK_STATE_WORKING', timestamp: second(1) });
  });

  it('shows a status message in history once a status without one has taken its place', () => {
    const quiet = history(
      submitted(),
      says('TaskStarted', { message: agentMessage('s1') }),
      says('TaskCompleted'),
    );
    expect(statusOf(quiet)).not.toHaveProperty('message');
    expect(render(quiet).history).toMatchObject([{ messageId: 's1' }]);
  });
});

describe('C10 artifacts', () => {
  const told = history(
    submitted(),
    chunk({ artifactId: 'a1', parts: [{ text: 'Hello' }] }),
    chunk({ artifactId: 'b1', parts: [{ text: 'x' }] }),
    chunk({ artifactId: 'a1', parts: [{ text: ' world' }] }, true),
    chunk({ artifactId: 'a1', parts: [{ text: '!' }] }, true, true),
  );

  it('are shown in first-seen order, chunks joined', () => {
    expect(render(told).artifacts).toEqual([
      { artifactId: 'a1', parts: [{ text: 'Hello' }, { text: ' world' }, { text: '!' }] },
      { artifactId: 'b1', parts: [{ text: 'x' }] },
    ]);
  });

  it('are left out, key and all, when they are not asked for', () => {
    expect(render(told, { includeArtifacts: false })).not.toHaveProperty('artifacts');
  });
});

describe('status messages of the ledger', () => {
  const textOf = (told: History): unknown => (statusOf(told).message as Message | undefined)?.parts[0]?.text;

  it.each([
    [
      'a cancel names its reason',
      canceled('not needed any more'),
      'Canceled by request: not needed any more',
    ],
    ['a cancel without a reason says nothing', canceled(), undefined],
    ['a stop names its cause', stopped('deadline'), 'Stopped at its deadline.'],
    [
      'an orphan without a parent of ours names what was told',
      stopped('orphaned'),
      'Stopped because its parent ended.',
    ],
    [
      'a stop names cause and reason',
      stopped('operator', { reason: 'runaway' }),
      'Stopped by an operator: runaway',
    ],
    ['a failure names its reason', says('TaskFailed', { reason: 'disk full' }), 'Failed: disk full'],
    ['a rejection names its reason', says('TaskRejected', { reason: 'not mine' }), 'Rejected: not mine'],
    ['a completion has nothing to explain', says('TaskCompleted', { reason: 'done' }), undefined],
    [
      'auth-required always says something',
      says('TaskAuthRequested'),
      'The agent needs authorization to go on.',
    ],
  ])('%s', (_rule, last, expected) => {
    expect(textOf(history(submitted(), says('TaskStarted'), last))).toBe(expected);
  });

  const parent = { taskId: 'p1', policy: 'cascade', onEnd: 'cascade' } as const;
  const due = '2026-02-01T00:00:00.000Z';

  it.each([
    [
      'a cancel from above names the parent and the cancellation, whether or not a reason was given',
      canceled(undefined, 'parent'),
      'Canceled with its parent p1 (cancellation cancel-1).',
    ],
    [
      'a cancel from above hands on the reason',
      canceled('budget', 'parent'),
      'Canceled with its parent p1 (cancellation cancel-1): budget',
    ],
    [
      'an orphan names the parent that ended and the cancellation that answered it',
      stopped('orphaned', { reason: 'the parent ended: completed' }, 'cancel-2'),
      'Stopped because its parent p1 ended (cancellation cancel-2): the parent ended: completed',
    ],
    ['a deadline names its instant', stopped('deadline'), `Stopped at its deadline, ${due}.`],
  ])('%s', (_rule, last, expected) => {
    const born = submitted(undefined, undefined, { parent, deadline: due });
    expect(textOf(history(born, says('TaskStarted'), last))).toBe(expected);
  });

  it('never take the place of what the agent said', () => {
    const told = history(
      submitted(),
      stopped('policy', { message: agentMessage('s1', 'my words'), reason: 'r' }),
    );
    expect(textOf(told)).toBe('my words');
  });

  it('have a derived id, so that every reader is shown the same message', () => {
    const told = history(submitted(), canceled('why'));
    expect(statusOf(told).message).toMatchObject({
      messageId: 't1.status-1',
      role: 'ROLE_AGENT',
      taskId: 't1',
    });
  });
});

it('shows every kill but a cancel as failed', () => {
  expect(statusOf(history(submitted(), stopped('orphaned'))).state).toBe('TASK_STATE_FAILED');
  expect(statusOf(history(submitted(), canceled())).state).toBe('TASK_STATE_CANCELED');
});

it('says where a task cannot be read on, beside the metadata of the task', () => {
  const { task, document } = history(submitted(undefined, { mine: 1 }));
  const flagged = { ...task, unreadable: { revision: 1, type: 'TaskTeleported' } };
  expect(toTaskJson(flagged, document).metadata).toEqual({
    mine: 1,
    [extensionUri]: { flagged: { revision: 1, type: 'TaskTeleported' } },
  });
});

describe('a task that its agent is asked to stop', () => {
  const due = '2026-01-01T00:01:00.000Z';
  const said = says('TaskStarted', { message: agentMessage('s1') });

  it('keeps state, message, time and history, and says in its metadata that it is asked, and until when', () => {
    const before = render(history(submitted(userMessage('m1'), { mine: 1 }), said));
    const told = history(submitted(userMessage('m1'), { mine: 1 }), said, asked(due));
    expect(render(told)).toEqual({
      ...before,
      metadata: { mine: 1, [extensionUri]: { cancellationId: 'cancel-1', dueAt: due } },
    });
  });

  it('keeps what its creator said under the same name', () => {
    const told = history(submitted(undefined, { [extensionUri]: { idempotencyKey: 'k' } }), asked(due));
    expect(render(told).metadata).toEqual({
      [extensionUri]: { idempotencyKey: 'k', cancellationId: 'cancel-1', dueAt: due },
    });
  });

  it.each([
    ['declined', declined()],
    ['ended', says('TaskCompleted')],
    ['canceled', canceled()],
  ])('says nothing of it once it has %s', (_what, last) => {
    expect(render(history(submitted(), said, asked(due), last))).not.toHaveProperty('metadata');
  });
});

it('keeps `data: null`, which the codec of the SDK would lose on the way in', () => {
  const told = history(
    submitted(userMessage('m1', '', { parts: [{ data: null, mediaType: 'application/json' }] })),
  );
  expect(render(told).history).toMatchObject([{ parts: [{ data: null, mediaType: 'application/json' }] }]);
});

describe('against the codec of the SDK', () => {
  const id = fc.string({ minLength: 1, maxLength: 8 });
  const object = fc.dictionary(
    fc.string({ maxLength: 5 }),
    fc.jsonValue({ maxDepth: 2 }),
  ) as fc.Arbitrary<JsonObject>;
  const base64 = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('base64'));
  const content = fc.oneof(
    fc.record({ text: fc.string() }),
    fc.record({ raw: base64 }),
    fc.record({ url: id }),
    fc.record({ data: fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null) }),
  );
  const part = fc
    .tuple(content, fc.record({ metadata: object, filename: id, mediaType: id }, { requiredKeys: [] }))
    .map(([one, more]) => ({ ...one, ...more }) as JsonObject);
  const parts = fc.array(part, { minLength: 1, maxLength: 3 });
  const more = { metadata: object, extensions: fc.array(id, { maxLength: 2 }) };
  const message = fc.record(
    {
      messageId: id,
      role: fc.constantFrom('ROLE_USER', 'ROLE_AGENT'),
      parts,
      contextId: id,
      taskId: id,
      referenceTaskIds: fc.array(id, { maxLength: 2 }),
      ...more,
    },
    { requiredKeys: ['messageId', 'role', 'parts'] },
  ) as fc.Arbitrary<Message>;
  const artifact = fc.record(
    { artifactId: id, parts, name: id, description: id, ...more },
    { requiredKeys: ['artifactId', 'parts'] },
  ) as fc.Arbitrary<Artifact>;
  const { task } = history(submitted());

  it('what is written is what the codec writes of what it has read', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 3 }),
        fc.array(artifact, { maxLength: 3 }),
        object,
        (sent, made, given) => {
          const messages = sent.map((one, revision) => ({ revision, message: one }));
          const document: TaskDocument = { metadata: given, messages, artifacts: made };
          const ours = toTaskJson(task, document);
          const theirs = TaskCodec.toJSON(
            TaskCodec.fromJSON({
              id: 't1',
              contextId: 'ctx',
              status: { state: 'TASK_STATE_SUBMITTED', timestamp: task.statusAt },
              artifacts: made,
              history: sent,
              metadata: given,
            }),
          );
          expect(JSON.stringify(ours)).toBe(JSON.stringify(theirs));
        },
      ),
    );
  });
});
