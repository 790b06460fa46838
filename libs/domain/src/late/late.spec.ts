import { plain } from '../content.js';
import type { JsonObject } from '../json.js';
import { readLateEvent } from '../reading/other-events.js';
import { change, record } from '../testing/commands.js';
import {
  artifact,
  at,
  canceled,
  completed,
  failed,
  folded,
  message,
  metadata,
  rejected,
  started,
  submitted,
} from '../testing/events.js';
import { given } from '../testing/given.js';
import { childrenOf } from '../task/children.js';
import { factOn } from '../task/shelves.js';
import { openStates, terminalStates, type Task } from '../task/state.js';
import { utf8Bytes } from '../text/utf8.js';
import { lateUpdateOf, type LateCommand, type RecordLateUpdate } from './commands.js';
import { decideLate, lateUpdateBytesMax, lateUpdatesMax } from './decide.js';
import type { LateEvent } from './events.js';
import { evolveLate } from './evolve.js';
import type { LateLog } from './log.js';

const ended = (): Task => {
  const task = folded(submitted, started(), canceled());
  if (task === undefined) throw new Error('no task');
  return task;
};

const append = (
  log: LateLog | undefined,
  events: readonly LateEvent[],
  eventId: string,
): LateLog | undefined =>
  events.reduce<LateLog | undefined>((before, event) => {
    const reading = readLateEvent(event.type, JSON.parse(JSON.stringify(event.data)));
    if (!reading.ok) throw new Error(reading.error);
    const revision = (before?.revision ?? -1) + 1;
    return evolveLate(before, { ...reading.event, revision, id: eventId, metadata, bytes: 0 });
  }, log);

const note = (log: LateLog | undefined, command: LateCommand, eventId = 'e') => {
  const events = decideLate(command, log);
  return { events, log: append(log, events, eventId) };
};

const update = (eventId: string, more: Partial<RecordLateUpdate> = {}): RecordLateUpdate => ({
  ...lateUpdateOf(change('completed'), ended(), eventId),
  ...more,
});

describe('C04 a late finish overwrites nothing', () => {
  const ends = [completed(), failed(), rejected(), canceled()];
  const states = [...openStates, ...terminalStates];
  const cases = ends.flatMap((end) =>
    states.map((to) => ({ end, to })).filter(({ end: { type }, to }) => type.toLowerCase() !== `task${to}`),
  );

  it.each(cases)('$end.type, then $to', ({ end, to }) => {
    const late = change(to, { message: message('done') });
    const history = given(submitted, started(), end);
    history.when(late).thenRefuses('task-is-terminal', { revision: 2 });
    if (history.task === undefined) throw new Error('no task');
    const { events } = note(undefined, lateUpdateOf(late, history.task, 'e1'));
    expect(events).toMatchObject([
      { type: 'LateUpdateRefused', data: { to, state: history.task.state, revision: 2 } },
    ]);
  });
});

describe('a refused update is noted', () => {
  it('whole, with where the task stood', () => {
    const late = change('completed', { result: { answer: 42 }, occurredAt: '2026-01-01T13:00:19+01:00' });
    expect(note(undefined, lateUpdateOf(late, ended(), 'e1')).events).toEqual([
      {
        type: 'LateUpdateRefused',
        data: {
          at: at(20),
          occurredAt: at(19),
          taskId: 't1',
          attempted: 'transition',
          to: 'completed',
          state: 'canceled',
          revision: 2,
          content: plain({ update: { to: 'completed', result: { answer: 42 } } }),
        },
      },
    ]);
  });

  it('an artifact too', () => {
    const late = record(artifact('a1', 'x'), { append: true });
    expect(note(undefined, lateUpdateOf(late, ended(), 'e1')).events).toMatchObject([
      {
        data: {
          attempted: 'artifact',
          artifactId: 'a1',
          content: plain({ update: { artifact: artifact('a1', 'x'), append: true } }),
        },
      },
    ]);
  });

  it('once under one id, also when others came between', () => {
    const first = note(undefined, update('e1'), 'e1');
    const second = note(first.log, update('e2'), 'e2');
    expect(note(second.log, update('e1')).events).toEqual([]);
  });

  it('the first hundred times', () => {
    let log: LateLog | undefined;
    for (let count = 0; count < lateUpdatesMax; count += 1) {
      const noted = note(log, update(String(count)), String(count));
      expect(noted.events).toHaveLength(1);
      log = noted.log;
    }
    expect(note(log, update('one more')).events).toEqual([]);
  });

  it('not earlier than what was noted before', () => {
    const { log } = note(undefined, update('e1', { at: at(30) }), 'e1');
    expect(note(log, update('e2', { at: at(20) })).events).toMatchObject([{ data: { at: at(30) } }]);
  });
});

describe('what is noted of a large update is cut', () => {
  const bodyOf = (sent: JsonObject) => {
    const [event] = decideLate(update('e1', { update: sent }), undefined);
    if (event?.type !== 'LateUpdateRefused') throw new Error('nothing noted');
    return event.data.content.body;
  };

  it.each(['x', '"', '\\', 'é', '😀', 'ש'])('at 8 KiB of JSON, made of %s', (character) => {
    const { update: kept, truncated } = bodyOf({ text: character.repeat(10_000) });
    const bytes = utf8Bytes(JSON.stringify(kept));
    expect(truncated).toBe(true);
    expect(bytes).toBeLessThanOrEqual(lateUpdateBytesMax);
    expect(bytes).toBeGreaterThan(lateUpdateBytesMax - 8);
    expect(JSON.stringify(kept)).not.toMatch(/\\ud[89ab]/i);
  });

  it('and is the beginning of what was sent', () => {
    const sent = { text: 'abc'.repeat(5_000) };
    expect(JSON.stringify(sent)).toContain(bodyOf(sent).update.json);
  });

  it('unless it fits to the byte', () => {
    const sent = { text: 'x'.repeat(lateUpdateBytesMax - utf8Bytes('{"text":""}')) };
    expect(bodyOf(sent)).toEqual({ update: sent });
    expect(bodyOf({ text: `${sent.text}x` }).truncated).toBe(true);
  });
});

describe('beside refused updates', () => {
  const child = (taskId: string): LateCommand => ({
    type: 'LinkLateChild',
    at: at(20),
    parentTaskId: 't1',
    child: { taskId, policy: 'cascade', onEnd: 'abandon' },
  });

  it('each late child is noted once, however many there are', () => {
    let log: LateLog | undefined;
    for (let count = 0; count < 2 * lateUpdatesMax; count += 1) {
      const noted = note(log, child(String(count)), `e${String(count)}`);
      expect(noted.events).toMatchObject([{ type: 'LateChildLinked', data: { parentTaskId: 't1' } }]);
      log = noted.log;
    }
    expect(note(log, child('0')).events).toEqual([]);
    expect(note(log, update('e-late')).events).toHaveLength(1);
    expect(log?.childCount).toBe(2 * lateUpdatesMax);
    expect(log && factOn(log.children, '7')).toEqual({ policy: 'cascade', onEnd: 'abandon', revision: 7 });
  });

  it('a late child is remembered with the terms of its link, whatever its id is (C45)', () => {
    const terms = { policy: 'cooperative', onEnd: 'cascade', graceMs: 5_000 } as const;
    const command: LateCommand = {
      type: 'LinkLateChild',
      at: at(20),
      parentTaskId: 't1',
      child: { taskId: '__proto__', ...terms },
    };
    const { log } = note(undefined, command);
    expect(log).toMatchObject({
      childCount: 1,
      children: childrenOf([['__proto__', { ...terms, revision: 0 }]]),
    });
    expect(note(log, command).events).toEqual([]);
  });

  it('a cancellation of the descendants is noted once', () => {
    const command: LateCommand = { type: 'NoteDescendantsCancellation', at: at(20), cancellationId: 'x1' };
    const { events, log } = note(undefined, command);
    expect(events).toEqual([
      { type: 'DescendantsCancellationNoted', data: { at: at(20), cancellationId: 'x1' } },
    ]);
    expect(note(log, command).events).toEqual([]);
  });

  it('an event that comes again changes nothing', () => {
    const { events, log } = note(undefined, update('e1'), 'e1');
    const [event] = events;
    if (event === undefined || log === undefined) throw new Error('nothing noted');
    expect(evolveLate(log, { ...event, revision: 0, id: 'e1', metadata, bytes: 0 })).toBe(log);
  });
});
