import { plain, type Artifact } from '../content.js';
import { record } from '../testing/commands.js';
import {
  artifact,
  artifactRecorded,
  at,
  completed,
  recorded,
  started,
  submitted,
} from '../testing/events.js';
import { given } from '../testing/given.js';
import { artifactOf } from './artifacts.js';
import { shelfSizeMin } from './shelves.js';
import type { TaskEvent } from './events.js';
import { evolve } from './evolve.js';

const open = [submitted, started()] as const;
const a1 = artifactRecorded(2, artifact('a1', 'Hello'));
const a1Sealed = artifactRecorded(3, artifact('a1', '!'), { append: true, lastChunk: true });

describe('an artifact', () => {
  it('is recorded as it was sent', () => {
    given(...open)
      .when(record(artifact('a1', 'Hello'), { occurredAt: '2026-01-01T12:00:10Z' }))
      .then({
        type: 'ArtifactRecorded',
        data: {
          at: at(20),
          occurredAt: at(10),
          artifactId: 'a1',
          append: false,
          lastChunk: false,
          content: plain({ artifact: artifact('a1', 'Hello') }),
        },
      });
  });

  it('admits the task and leaves its state', () => {
    given(submitted)
      .when(record(artifact('a1', 'x')))
      .thenTask({ state: 'submitted', admitted: true });
  });

  it('may be replaced and appended to while it is open', () => {
    given(...open, a1)
      .when(record(artifact('a1', 'Bye')))
      .thenTypes('ArtifactRecorded');
    given(...open, a1)
      .when(record(artifact('a1', '!'), { append: true }))
      .thenTypes('ArtifactRecorded');
  });

  it('is refused on an ended task', () => {
    given(...open, completed())
      .when(record(artifact('a1', 'x')))
      .thenRefuses('task-is-terminal', { state: 'TASK_STATE_COMPLETED', revision: 2 });
  });

  it('does not take the id of the result', () => {
    given(...open)
      .when(record(artifact('t1.result', 'x')))
      .thenRefusesField('artifact.artifactId');
  });
});

describe('C11 a broken artifact protocol is refused, never dropped', () => {
  it('appending to what was never opened', () => {
    given(...open)
      .when(record(artifact('zz', 'lost?'), { append: true }))
      .thenRefuses('artifact-not-open', { artifactId: 'zz' });
  });

  it.each([true, false])('writing after the last chunk, append=%s', (append) => {
    given(...open, a1, a1Sealed)
      .when(record(artifact('a1', 'b'), { append }))
      .thenRefuses('artifact-sealed', { artifactId: 'a1' });
  });

  it.each([[], undefined, 'text', [null], ['text']])('parts that are %j', (parts) => {
    given(...open)
      .when(record({ artifactId: 'a1', parts } as unknown as Artifact))
      .thenRefusesField('artifact.parts');
  });
});

describe('C45 hostile artifact ids', () => {
  const hostile = [
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '..',
    'a/b',
    "a'); DROP TABLE events;--",
  ];

  it.each(hostile)('%s is not open before it was opened', (id) => {
    given(...open)
      .when(record(artifact(id, 'x'), { append: true }))
      .thenRefuses('artifact-not-open');
  });

  it.each(hostile)('%s is opened, sealed and kept like any other', (id) => {
    const task = given(...open, artifactRecorded(2, artifact(id, 'x'), { lastChunk: true })).task;
    if (task === undefined) throw new Error('no task');
    expect(artifactOf(task, id)).toEqual({ sealed: true, firstRevision: 2 });
    const snapshot = JSON.parse(JSON.stringify(task)) as typeof task;
    expect(artifactOf(snapshot, id)).toEqual({ sealed: true, firstRevision: 2 });
    expect(snapshot).toEqual(task);
    expect({}).not.toHaveProperty('sealed');
  });

  it.each(['', 'x'.repeat(257), 'a\u0000b', 'a\nb', 'x\ud83dy'])('%j is malformed', (id) => {
    given(...open)
      .when(record(artifact(id, 'x')))
      .thenRefusesField('artifact.artifactId');
  });
});

describe('many artifacts', () => {
  const count = 5 * shelfSizeMin + 1;
  const opened: readonly TaskEvent[] = Array.from({ length: count }, (_, index) =>
    artifactRecorded(2, artifact(`a${String(index)}`, 'x')),
  );
  const sealing = opened.map(
    (event) => ({ ...event, data: { ...event.data, append: true, lastChunk: true } }) as TaskEvent,
  );
  const taskAfter = (...events: readonly TaskEvent[]) => {
    const { task } = given(...open, ...opened, ...events);
    if (task === undefined) throw new Error('no task');
    return task;
  };

  it('are each found again, in a few shelves', () => {
    const task = taskAfter();
    for (let index = 0; index < count; index += 1) {
      expect(artifactOf(task, `a${String(index)}`)).toEqual({ sealed: false, firstRevision: index + 2 });
    }
    expect(task.artifacts.map((shelf) => shelf.count)).toEqual([128, 32, 1]);
  });

  it('are sealed wherever they stand, and keep their place', () => {
    const task = taskAfter(...sealing);
    for (let index = 0; index < count; index += 1) {
      expect(artifactOf(task, `a${String(index)}`)).toEqual({ sealed: true, firstRevision: index + 2 });
    }
  });

  it('are not copied for one more chunk', () => {
    const before = taskAfter();
    const [chunk] = recorded([artifactRecorded(4, artifact('a7', 'y'), { append: true })], {
      from: before.revision + 1,
    });
    if (chunk === undefined) throw new Error('no event');
    expect(evolve(before, chunk).artifacts).toBe(before.artifacts);
  });
});
