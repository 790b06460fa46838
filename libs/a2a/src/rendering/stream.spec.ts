import { StreamResponse } from '@a2a-js/sdk';
import type { JsonObject } from '#domain';
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
import { toStreamResponse } from './stream.js';
import { toTaskJson } from './task.js';

const framesOf = ({ changes }: History): (JsonObject | undefined)[] =>
  changes.map((change) => {
    const frame = toStreamResponse(change);
    return frame === undefined ? undefined : (StreamResponse.toJSON(frame) as JsonObject);
  });

const lastFrame = (told: History): JsonObject | undefined => framesOf(told).at(-1);

it('a change of state is one status update with the words of the agent and its metadata', () => {
  const told = history(
    submitted(),
    says('TaskStarted', { message: agentMessage('s1'), metadata: { step: 1 } }),
  );
  expect(lastFrame(told)).toEqual({
    statusUpdate: {
      taskId: 't1',
      contextId: 'ctx',
      status: {
        state: 'TASK_STATE_WORKING',
        message: { messageId: 's1', role: 'ROLE_AGENT', parts: [{ text: 's1' }] },
        timestamp: second(1),
      },
      metadata: { step: 1 },
    },
  });
});

it.each([
  ['TaskStarted', 'TASK_STATE_WORKING'],
  ['TaskProgressed', 'TASK_STATE_SUBMITTED'],
  ['TaskInputRequested', 'TASK_STATE_INPUT_REQUIRED'],
  ['TaskAuthRequested', 'TASK_STATE_AUTH_REQUIRED'],
  ['TaskResumed', 'TASK_STATE_WORKING'],
  ['TaskCompleted', 'TASK_STATE_COMPLETED'],
  ['TaskFailed', 'TASK_STATE_FAILED'],
  ['TaskRejected', 'TASK_STATE_REJECTED'],
] as const)('%s is shown as %s', (type, state) => {
  expect(lastFrame(history(submitted(), says(type)))).toMatchObject({ statusUpdate: { status: { state } } });
});

it('C10 chunks stay chunks, with append and lastChunk as they were recorded', () => {
  const told = history(
    submitted(),
    chunk({ artifactId: 'a1', parts: [{ text: 'Hello' }] }),
    chunk({ artifactId: 'b1', parts: [{ text: 'x' }] }),
    chunk({ artifactId: 'a1', parts: [{ text: ' world' }] }, true),
    chunk({ artifactId: 'a1', parts: [{ text: '!' }] }, true, true),
  );
  const chunkOf = (artifactId: string, text: string): JsonObject => ({ artifactId, parts: [{ text }] });
  const of = { taskId: 't1', contextId: 'ctx' };
  expect(framesOf(told).slice(1)).toEqual([
    { artifactUpdate: { ...of, artifact: chunkOf('a1', 'Hello') } },
    { artifactUpdate: { ...of, artifact: chunkOf('b1', 'x') } },
    { artifactUpdate: { ...of, artifact: chunkOf('a1', ' world'), append: true } },
    { artifactUpdate: { ...of, artifact: chunkOf('a1', '!'), append: true, lastChunk: true } },
  ]);
});

it('a cooperative cancel keeps the state and explains itself', () => {
  const told = history(submitted(), says('TaskStarted'), asked('2026-01-01T00:01:00.000Z', 'too slow'));
  expect(lastFrame(told)).toMatchObject({
    statusUpdate: {
      status: { state: 'TASK_STATE_WORKING', message: { messageId: 't1.status-2' } },
      metadata: { [extensionUri]: { cancellationId: 'cancel-1', dueAt: '2026-01-01T00:01:00.000Z' } },
    },
  });
  expect(JSON.stringify(lastFrame(told))).toContain('too slow');
});

it('a cancel that came from above says so', () => {
  const told = history(
    submitted(),
    says('TaskStarted'),
    asked('2026-01-01T00:01:00.000Z', undefined, 'parent'),
  );
  expect(JSON.stringify(lastFrame(told))).toContain('with the task above');
});

it('a decline takes back what was announced, in the same state', () => {
  const told = history(
    submitted(),
    says('TaskStarted'),
    asked('2026-01-01T00:01:00.000Z'),
    declined('almost done'),
  );
  expect(lastFrame(told)).toMatchObject({
    statusUpdate: {
      status: { state: 'TASK_STATE_WORKING', message: { messageId: 't1.status-3' }, timestamp: second(3) },
      metadata: { [extensionUri]: { cancellationId: 'cancel-1', declined: true } },
    },
  });
  expect(JSON.stringify(lastFrame(told))).toContain('almost done');
});

it('messages and the first event make no frame', () => {
  const told = history(submitted(userMessage('m1')), received(userMessage('m2')));
  expect(framesOf(told)).toEqual([undefined, undefined]);
});

it.each([
  ['a cancel', canceled('enough')],
  ['a cancel from above', canceled(undefined, 'parent')],
  ['a stop', stopped('system')],
  ['auth-required', says('TaskAuthRequested')],
  ['a completion', says('TaskCompleted', { message: agentMessage('s9') })],
])('%s says the same in the frame as in the task', (_what, last) => {
  const told = history(submitted(), says('TaskStarted'), last);
  const frame = lastFrame(told)?.statusUpdate as JsonObject;
  expect(frame.status).toEqual(toTaskJson(told.task, told.document).status);
});
