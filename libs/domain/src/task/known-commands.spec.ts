import { message, messageRecorded, recorded, started, submitted } from '../testing/events.js';
import type { TaskEvent } from './events.js';
import { evolveAll } from './evolve.js';
import { knownCommand, knownCommandsMax } from './known-commands.js';
import type { Task } from './state.js';

const under = (commandId: string, from: number, ...events: readonly TaskEvent[]) =>
  recorded(events, { from, by: { commandId, requestHash: `hash of ${commandId}` } });

const taskOf = (...runs: readonly ReturnType<typeof recorded>[]): Task => {
  const task = evolveAll(undefined, runs.flat());
  if (task === undefined) throw new Error('no task');
  return task;
};

const said = (count: number) => messageRecorded(1, message(String(count)));

describe('a command under an idempotency key', () => {
  it('is remembered with the revision of its last event', () => {
    const task = taskOf(recorded([submitted]), under('k1', 1, started(), said(2)));
    expect(knownCommand(task, 'k1')).toEqual({ commandId: 'k1', requestHash: 'hash of k1', revision: 2 });
  });

  it('is remembered once, however many events it has', () => {
    expect(taskOf(recorded([submitted]), under('k1', 1, started(), said(2))).commands).toHaveLength(1);
  });

  it('without a key is not remembered', () => {
    const task = taskOf(recorded([submitted, started()]));
    expect(knownCommand(task, 'command')).toBeUndefined();
    expect(task.commands).toEqual([]);
  });

  it('is found among others, the create among them', () => {
    const task = taskOf(under('create', 0, submitted), under('k1', 1, started()), under('k2', 2, said(2)));
    expect(['create', 'k1', 'k2', 'k3'].map((id) => knownCommand(task, id)?.revision)).toEqual([
      0,
      1,
      2,
      undefined,
    ]);
  });
});

describe('of very many commands', () => {
  const many = Array.from({ length: knownCommandsMax + 5 }, (_, index) =>
    under(`k${String(index)}`, index + 1, said(index)),
  );
  const task = taskOf(under('create', 0, submitted), ...many);

  it('the newest thousand are remembered', () => {
    expect(task.commands).toHaveLength(knownCommandsMax);
    expect(knownCommand(task, 'k4')).toBeUndefined();
    expect(knownCommand(task, 'k5')?.revision).toBe(6);
    expect(knownCommand(task, `k${String(knownCommandsMax + 4)}`)?.revision).toBe(knownCommandsMax + 5);
  });

  it('the create is never forgotten', () => {
    expect(knownCommand(task, 'create')?.revision).toBe(0);
  });
});
