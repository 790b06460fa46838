import fc from 'fast-check';
import { DomainError } from '../errors.js';
import type { Json } from '../json.js';
import { readTaskEvent } from '../reading/task-event.js';
import { agentMessage, alice, artifact, at, message, recorded } from '../testing/events.js';
import {
  assign,
  canceledParent,
  cancel,
  carry,
  change,
  decline,
  endAtDeadline,
  force,
  linkChild,
  record,
  say,
  stopOrphan,
  submit,
} from '../testing/commands.js';
import type { TaskCommand } from './commands.js';
import { decide } from './decide.js';
import { emptyDocument, evolveDocument, evolveDocumentAll } from './document-fold.js';
import type { RecordedTaskEvent, TaskEvent } from './events.js';
import { evolve, evolveAll } from './evolve.js';
import { isTerminal, openStates, terminalStates, type Task } from './state.js';
import { rowOf } from '../row/row-of.js';

// Any order of any commands, at any times, and whatever a store may hold.

/** As a store gives it back: -0 is no JSON. */
const throughText = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

const ids = fc.constantFrom('a', 'b', '__proto__', 'constructor', 't1.result');
const texts = fc.constantFrom('x', 'é', '😀');
const states = fc.constantFrom(...openStates, ...terminalStates);
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const times = fc.integer({ min: -100, max: 100 }).map(at);

const changes = fc
  .record({
    to: states,
    said: optional(texts),
    result: optional(fc.jsonValue().map(throughText)),
    token: optional(fc.constantFrom('k1', 'k2')),
    when: times,
  })
  .map(({ to, said, result, token, when }): TaskCommand =>
    change(to, {
      at: when,
      ...(said !== undefined && { message: agentMessage(said) }),
      ...(result !== undefined && to === 'completed' && { result }),
      ...(token !== undefined && { checkpointToken: token }),
    }),
  );

const records = fc
  .record({ id: ids, said: texts, append: fc.boolean(), lastChunk: fc.boolean(), when: times })
  .map(({ id, said, append, lastChunk, when }): TaskCommand =>
    record(artifact(id, said), { at: when, append, lastChunk }),
  );

const cancellationIds = fc.constantFrom('x2', 'x3', '__proto__');

const cancels = fc
  .record({
    cascade: fc.boolean(),
    mode: fc.constantFrom('immediate', 'cooperative'),
    cancellationId: cancellationIds,
    when: times,
  })
  .map(({ when, ...more }): TaskCommand => cancel({ ...more, at: when }));

const carries = fc
  .record({
    manner: fc.constantFrom('immediate', 'cooperative'),
    cancellationId: cancellationIds,
    when: times,
  })
  .chain(({ when, manner, cancellationId }) =>
    fc.constantFrom<TaskCommand>(
      carry({ manner, cancellationId, at: when }),
      stopOrphan({ cancellationId, at: when }),
    ),
  );

const commands: fc.Arbitrary<TaskCommand> = fc.oneof(
  { weight: 6, arbitrary: changes },
  { weight: 4, arbitrary: records },
  { weight: 2, arbitrary: texts.map((said) => say(message(said))) },
  { weight: 2, arbitrary: cancels },
  { weight: 2, arbitrary: carries },
  { weight: 1, arbitrary: times.map((when) => decline({ at: when })) },
  {
    weight: 1,
    arbitrary: fc.tuple(cancellationIds, times).map(([id, when]) => force({ cancellationId: id, at: when })),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 100 }).map(endAtDeadline) },
  { weight: 1, arbitrary: fc.constantFrom(assign(), assign({ parentTask: canceledParent() })) },
  { weight: 1, arbitrary: ids.map((id) => linkChild(id)) },
  { weight: 1, arbitrary: times.map((when) => submit({ at: when })) },
);

/** Decides one command after the other, and appends what is decided. */
const run = (order: readonly TaskCommand[]): RecordedTaskEvent[] => {
  const events: RecordedTaskEvent[] = [];
  let task: Task | undefined;
  for (const command of order) {
    for (const event of attempt(command, task)) {
      const [next] = recorded([event], { from: events.length });
      if (next === undefined) throw new Error('no event');
      events.push(next);
      task = evolve(task, next);
    }
  }
  return events;
};

const attempt = (command: TaskCommand, task: Task | undefined): readonly TaskEvent[] => {
  try {
    return decide(command, task);
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
};

const orders = fc
  .array(commands, { maxLength: 25 })
  .map((order) => [submit({ at: at(0), deadline: at(50) }), ...order]);
const terminalTypes = ['TaskCompleted', 'TaskFailed', 'TaskRejected', 'TaskCanceled', 'TaskStopped'];

describe('any order of commands', () => {
  it('leaves at most one terminal event, and it is the last', () => {
    fc.assert(
      fc.property(orders, (order) => {
        const types = run(order).map(({ type }) => type);
        const first = types.findIndex((type) => terminalTypes.includes(type));
        expect(first === -1 || first === types.length - 1).toBe(true);
      }),
    );
  });

  it('leaves events whose time never goes back', () => {
    fc.assert(
      fc.property(orders, (order) => {
        const instants = run(order).map(({ data }) => data.at);
        expect(instants).toEqual([...instants].sort());
      }),
    );
  });

  it('leaves events that can be read, and fold to the task that decided them', () => {
    fc.assert(
      fc.property(orders, (order) => {
        const events = run(order);
        const again = events.map(({ type, data, ...rest }) => {
          const reading = readTaskEvent(type, JSON.parse(JSON.stringify(data)));
          if (!reading.ok) throw new Error(reading.error);
          return { ...rest, ...reading.event };
        });
        expect(evolveAll(undefined, again)).toEqual(evolveAll(undefined, events));
      }),
    );
  });

  it('folds the same twice, from any snapshot on, and through JSON', () => {
    fc.assert(
      fc.property(orders, fc.nat(), (order, place) => {
        const events = run(order);
        const cut = place % (events.length + 1);
        const snapshot = evolveAll(undefined, events.slice(0, cut));
        const stored = snapshot === undefined ? undefined : (JSON.parse(JSON.stringify(snapshot)) as Task);
        expect(evolveAll(stored, events.slice(cut))).toEqual(evolveAll(undefined, events));
        const document = evolveDocumentAll(undefined, events.slice(0, cut));
        expect(evolveDocumentAll(document, events.slice(cut))).toEqual(
          events.reduce(evolveDocument, emptyDocument),
        );
      }),
    );
  });

  it('remembers how it ended exactly where it has ended', () => {
    fc.assert(
      fc.property(orders, (order) => {
        const events = run(order);
        const task = evolveAll(undefined, events);
        const last = events.at(-1);
        if (task === undefined || last === undefined) throw new Error('no task');
        expect(task.end !== undefined).toBe(isTerminal(task.state));
        if (task.end === undefined) return;
        expect(task.end).toMatchObject({ revision: last.revision, eventId: last.id, at: last.data.at });
        expect(task.end.cancellationId).toBe(task.cancellationId);
        expect(task.end.from).toBe(evolveAll(undefined, events.slice(0, task.end.revision))?.state);
      }),
    );
  });

  it('never forces a request early, nor ends a task before its deadline', () => {
    fc.assert(
      fc.property(orders, (order) => {
        let dueAt = '';
        for (const { type, data } of run(order)) {
          if (type === 'CancellationRequested') dueAt = data.dueAt ?? '';
          if (type === 'TaskCanceled' && data.forced === true) expect(data.at >= dueAt).toBe(true);
          if (type === 'TaskStopped' && data.stoppedBy === 'deadline') expect(data.at >= at(50)).toBe(true);
        }
      }),
    );
  });

  it('begins a cancellation at most once', () => {
    fc.assert(
      fc.property(orders, (order) => {
        const task = evolveAll(undefined, run(order));
        const begun = Object.entries(task?.requests[0]?.facts ?? {}).filter(([, { root }]) => root);
        const ids = [...begun.map(([id]) => id), ...(task?.end?.root === true ? [task.cancellationId] : [])];
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  it('only ever raises revision, bytes and times', () => {
    fc.assert(
      fc.property(orders, (order) => {
        let before: Task | undefined;
        for (const event of run(order)) {
          const after = evolve(before, event);
          expect(after.revision).toBe((before?.revision ?? -1) + 1);
          expect(after.bytes).toBeGreaterThan(before?.bytes ?? 0);
          expect(after.updatedAt >= (before?.updatedAt ?? '')).toBe(true);
          expect(after.statusAt >= (before?.statusAt ?? '')).toBe(true);
          before = after;
        }
      }),
    );
  });
});

// Histories that no decision made: every known type with fields that are mostly right, in any order.

const garbage = fc.jsonValue({ maxDepth: 2 }).map(throughText);
const mostly = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 30, arbitrary }, { weight: 1, arbitrary: garbage });

const relative = fc.record({
  taskId: ids,
  policy: fc.constantFrom('cascade', 'cooperative', 'abandon'),
  onEnd: fc.constantFrom('abandon', 'cascade'),
});
const request = fc.record({
  mode: fc.constantFrom('immediate', 'cooperative'),
  cascade: fc.boolean(),
  requestedBy: fc.constant(alice),
});
const said = optional(texts.map((text) => message(text)));
const body = fc.record(
  {
    message: mostly(said),
    reason: mostly(texts),
    metadata: mostly(fc.dictionary(ids, garbage)),
    artifact: mostly(fc.record({ artifactId: ids, parts: fc.array(fc.record({ text: texts })) })),
    note: mostly(texts),
    askSchema: mostly(fc.dictionary(ids, garbage)),
  },
  { requiredKeys: [] },
);
const data = fc.record(
  {
    at: mostly(times),
    taskId: mostly(ids),
    contextId: mostly(ids),
    rootTaskId: mostly(ids),
    occurredAt: mostly(times),
    artifactId: mostly(ids),
    messageId: mostly(ids),
    role: mostly(fc.constantFrom('ROLE_USER', 'ROLE_AGENT')),
    append: mostly(fc.boolean()),
    lastChunk: mostly(fc.boolean()),
    parent: mostly(relative),
    child: mostly(relative),
    cancellationId: mostly(ids),
    request: mostly(request),
    dueAt: mostly(times),
    deadline: mostly(times),
    forced: mostly(fc.boolean()),
    acknowledged: mostly(fc.boolean()),
    checkpointToken: mostly(texts),
    content: mostly(fc.record({ enc: fc.constant('none'), body })),
  },
  { requiredKeys: ['at', 'taskId', 'contextId', 'rootTaskId', 'content'] },
);
const types = fc.constantFrom(
  ...terminalTypes,
  'TaskSubmitted',
  'TaskStarted',
  'TaskProgressed',
  'TaskInputRequested',
  'TaskAuthRequested',
  'TaskResumed',
  'MessageRecorded',
  'ArtifactRecorded',
  'ParentAssigned',
  'ChildLinked',
  'CancellationRequested',
  'CancellationDeclined',
);
const causes = fc.constantFrom('user', 'parent', 'operator');
const histories = fc.array(fc.tuple(types, data, causes), { maxLength: 30 });

/** Cheaper than an expectation for each event. */
const assertSame = (actual: unknown, expected: unknown): void => {
  if (actual !== expected) throw new Error(`${String(actual)} after ${String(expected)}`);
};

const readable = (history: readonly (readonly [string, object, string])[]): TaskEvent[] =>
  history.flatMap(([type, fields, stoppedBy]) => {
    const reading = readTaskEvent(type, { ...fields, stoppedBy });
    return reading.ok ? [reading.event] : [];
  });

describe('whatever a store holds that a reader accepts', () => {
  it('is folded without a throw, and the first end stands', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const events = recorded(readable(history));
        let task: Task | undefined;
        evolveDocumentAll(undefined, events);
        for (const event of events) {
          const before = task;
          task = evolve(before, event);
          if (before !== undefined && isTerminal(before.state)) assertSame(task.state, before.state);
          rowOf(task);
        }
        expect(throughText(task ?? null)).toEqual(task ?? null);
        expect({}).not.toHaveProperty('sealed');
      }),
      { numRuns: 120 },
    );
  });

  it('is decided on without anything but refusals', () => {
    fc.assert(
      fc.property(histories, commands, (history, command) => {
        const task = evolveAll(undefined, recorded(readable(history)));
        expect(attempt(command, task)).toBeInstanceOf(Array);
      }),
      { numRuns: 120 },
    );
  });

  it('reaches the folds in most of these histories', () => {
    const sample = fc.sample(histories, { numRuns: 200, seed: 7 });
    const folded = sample.map((history) => readable(history).length);
    expect(Math.max(...folded)).toBeGreaterThan(5);
  });
});

it('any text of a type and any JSON is read or refused, never thrown at', () => {
  fc.assert(
    fc.property(fc.oneof(types, fc.string()), fc.jsonValue(), (type, value) => {
      expect(typeof readTaskEvent(type, value).ok).toBe('boolean');
    }),
  );
});
