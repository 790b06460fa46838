import { cancel, change, record, say } from '../testing/commands.js';
import { artifact, started, submitted } from '../testing/events.js';
import { given, refusalOf } from '../testing/given.js';
import { taskBytesMax, taskEventsMax } from './caps.js';
import type { TaskCommand } from './commands.js';
import { decide } from './decide.js';
import type { Task } from './state.js';

const taskWith = (more: Partial<Task>): Task => {
  const { task } = given(submitted, started());
  if (task === undefined) throw new Error('no task');
  return { ...task, ...more };
};

const full = [
  ['events', { revision: taskEventsMax - 1 }, taskEventsMax],
  ['bytes', { bytes: taskBytesMax }, taskBytesMax],
] as const;

const types = (command: TaskCommand, task: Task): readonly string[] =>
  decide(command, task).map(({ type }) => type);

describe.each(full)('a task that is full of %s', (_unit, more, limit) => {
  it.each([say(), record(artifact('a1', 'x'))])('refuses $type', (command) => {
    const refusal = refusalOf(() => decide(command, taskWith(more)));
    expect(refusal).toMatchObject({ code: 'payload-too-large', detail: { limit } });
  });

  it('still takes transitions and cancels', () => {
    const task = taskWith(more);
    expect(types(change('completed', { result: 1 }), task)).toEqual(['ArtifactRecorded', 'TaskCompleted']);
    expect(types(cancel(), task)).toEqual(['TaskCanceled']);
  });
});

it('takes the last message that there is room for', () => {
  expect(types(say(), taskWith({ revision: taskEventsMax - 2, bytes: taskBytesMax - 1 }))).toEqual([
    'MessageRecorded',
  ]);
});
