import {
  alice,
  artifact,
  artifactRecorded,
  at,
  authRequested,
  cancellationDeclined,
  cancellationRequested,
  canceled,
  childLinked,
  completed,
  failed,
  inputRequested,
  message,
  messageRecorded,
  metadata,
  parentAssigned,
  progressed,
  rejected,
  resumed,
  started,
  stopped,
  submitted,
} from '../testing/events.js';
import { plain } from '../content.js';
import { readMetadata } from './metadata.js';
import { readCancellationEvent, readLateEvent, readLogEvent } from './other-events.js';
import { readerOf } from './read.js';
import { shape, text } from './shape.js';
import { readTaskEvent } from './task-event.js';

const everyShape = [
  submitted,
  started(),
  progressed(2, 'half'),
  inputRequested(2, 'k'),
  authRequested(),
  resumed(),
  messageRecorded(3, message('x')),
  artifactRecorded(4, artifact('a', 'x')),
  parentAssigned(5, 'p'),
  childLinked(6, 'k'),
  cancellationRequested(),
  cancellationDeclined(),
  completed(),
  failed(),
  rejected(),
  canceled(9, 'why'),
  canceled(9, 'why', { forced: true }),
  canceled(9, 'why', { acknowledged: true }),
  stopped(),
];

const withField = (data: object, field: string, value: unknown): object => ({ ...data, [field]: value });
const withoutField = (data: object, field: string): object =>
  Object.fromEntries(Object.entries(data).filter(([name]) => name !== field));

describe('a reader of task events', () => {
  it.each(everyShape)('reads $type as it is stored', (event) => {
    const reading = readTaskEvent(event.type, JSON.parse(JSON.stringify(event.data)));
    expect(reading).toEqual({ ok: true, event });
  });

  it.each(everyShape)(
    'takes the first version of $type with its number, and fields it does not know',
    (event) => {
      const data = { ...event.data, v: 1, colour: 'red' };
      expect(readTaskEvent(event.type, data)).toEqual({ ok: true, event: { type: event.type, data } });
    },
  );

  it.each(everyShape)('refuses $type without any of its fields', ({ type, data }) => {
    const optional = new Set([
      'messageId',
      'checkpointToken',
      'dueAt',
      'occurredAt',
      'forced',
      'acknowledged',
    ]);
    for (const field of Object.keys(data).filter(
      (name) => !(type !== 'MessageRecorded' && optional.has(name)),
    )) {
      const reading = readTaskEvent(type, withoutField(data, field));
      expect(reading).toEqual({ ok: false, error: expect.stringContaining(field) as string });
    }
  });

  it.each(everyShape)('refuses $type with a field of another kind', ({ type, data }) => {
    for (const field of Object.keys(data)) {
      for (const value of [[], 7.5, null]) {
        expect(readTaskEvent(type, withField(data, field, value)).ok).toBe(false);
      }
    }
  });
});

describe('C43 what cannot be read is said to be so, with the reason', () => {
  const { data } = started();

  it.each([
    ['an unknown type', 'TaskTeleported', data, 'type TaskTeleported is not known'],
    ['a name from JavaScript', 'constructor', data, 'type constructor is not known'],
    ['a newer version', 'TaskStarted', { ...data, v: 2 }, 'v 2 is newer than this reader'],
    ['a version that is none', 'TaskStarted', { ...data, v: '1' }, 'v must be a version'],
    ['no object', 'TaskStarted', 'data', 'data must be an object'],
    ['a list', 'TaskStarted', [], 'data must be an object'],
    ['another time', 'TaskStarted', { ...data, at: '2026-01-01' }, 'at must be YYYY-MM-DDTHH:mm:ss.sssZ'],
    [
      'sealed content',
      'TaskStarted',
      { ...data, content: { enc: 'a', body: {} } },
      'content enc must be one of none',
    ],
  ])('%s', (_what, type, body, error) => {
    expect(readTaskEvent(type, body)).toEqual({ ok: false, error });
  });

  it('an artifact that is another one inside', () => {
    const { data: recorded } = artifactRecorded(1, artifact('a', 'x'));
    expect(readTaskEvent('ArtifactRecorded', { ...recorded, artifactId: 'b' })).toMatchObject({ ok: false });
  });
});

describe('an older shape', () => {
  const read = readerOf<{ type: string; data: object }>({
    Renamed: {
      check: shape({ name: text, greeting: text }),
      lifts: [
        ({ title, ...rest }) => ({ ...rest, name: title }),
        (body) => ({ ...body, greeting: `hello ${String(body.name)}` }),
      ],
    },
  });

  it.each([
    [{ title: 'x' }, { name: 'x', greeting: 'hello x' }],
    [
      { v: 2, name: 'x' },
      { v: 2, name: 'x', greeting: 'hello x' },
    ],
    [
      { v: 3, name: 'x', greeting: 'hi' },
      { v: 3, name: 'x', greeting: 'hi' },
    ],
  ])('%j is lifted when read', (stored, data) => {
    expect(read('Renamed', stored)).toEqual({ ok: true, event: { type: 'Renamed', data } });
  });

  it('is checked after it was lifted', () => {
    expect(read('Renamed', { title: 7 })).toEqual({ ok: false, error: 'name must be a string' });
  });
});

describe('the other streams', () => {
  const request = { mode: 'immediate', cascade: true, requestedBy: alice };
  const opened = {
    at: at(1),
    cancellationId: 'x',
    rootTaskId: 't1',
    requestedAt: at(1),
    request,
    descendantsOnly: false,
    content: plain({}),
  };

  it('are read by their own readers alone', () => {
    expect(readCancellationEvent('CancellationOpened', opened).ok).toBe(true);
    expect(readTaskEvent('CancellationOpened', opened).ok).toBe(false);
    expect(readLateEvent('CancellationOpened', opened).ok).toBe(false);
    expect(readLogEvent('LogOpened', { at: at(0), logId: 'abcd1234' }).ok).toBe(true);
    expect(readLogEvent('LogOpened', { at: at(0) }).ok).toBe(false);
  });

  const place = { taskId: 'k1', depth: 1, reachedAt: at(1) };
  const link = { parentTaskId: 't1', policy: 'cooperative', late: true };
  const settled = {
    ...place,
    outcome: 'canceled',
    settledAt: at(2),
    worker: 'unnotified',
    attempts: 1,
  };
  const whole = {
    ...settled,
    ...link,
    by: 'x2',
    revision: 3,
    acknowledgedBy: 'worker-1',
    lastError: 'task-not-found',
  };

  it.each([
    ['CancellationOpened', { ...opened, parentEnded: true, rootRevision: 3 }],
    ['CancellationRepeated', { at: at(1), taskId: 't1', by: alice, content: plain({}) }],
    ['NodeWaiting', { at: at(1), node: place }],
    ['NodeWaiting', { at: at(1), node: { ...place, ...link, dueAt: at(30) } }],
    ['NodesSettled', { at: at(1), nodes: [settled, whole] }],
    ['CancellationSettled', { at: at(1) }],
    ['WorkersNotified', { at: at(1), taskIds: ['k1'], to: 'worker-1', through: 'feed' }],
    ['WorkerAcknowledged', { at: at(1), taskId: 'k1', by: alice, content: plain({ note: 'stopped' }) }],
    ['WorkerWroteLate', { at: at(1), taskId: 'k1', principal: 'worker-1', attempted: 'artifact' }],
    ['CancellationConfirmed', { at: at(1) }],
  ])('of a cancellation hold %s, and nothing less', (type, data) => {
    expect(readCancellationEvent(type, data)).toEqual({ ok: true, event: { type, data } });
    const optional = new Set(['rootRevision', 'parentEnded']);
    for (const field of Object.keys(data).filter((name) => !optional.has(name)))
      expect(readCancellationEvent(type, withoutField(data, field)).ok).toBe(false);
    for (const field of Object.keys(data))
      expect(readCancellationEvent(type, withField(data, field, 7.5)).ok).toBe(false);
  });

  it.each([settled, whole])('of a cancellation hold lines of one shape', (node) => {
    const read = (line: object) =>
      readCancellationEvent('NodesSettled', { at: at(1), nodes: [settled, line] });
    const optional = new Set([...Object.keys(link), 'by', 'revision', 'acknowledgedBy', 'lastError']);
    for (const field of Object.keys(node)) {
      expect(read(withoutField(node, field)).ok).toBe(optional.has(field));
      if (field !== 'attempts') expect(read(withField(node, field, 7.5)).ok).toBe(false);
    }
    expect(read({ ...node, outcome: 'vanished' }).ok).toBe(false);
    expect(read({ ...node, worker: 'wroteLate' }).ok).toBe(false);
  });

  it('refuse what misses a fact', () => {
    expect(readCancellationEvent('CancellationOpened', withoutField(opened, 'request')).ok).toBe(false);
    expect(
      readCancellationEvent('CancellationRepeated', { at: at(1), by: alice, content: plain({}) }).ok,
    ).toBe(false);
    expect(readLateEvent('LateChildLinked', { at: at(1), parentTaskId: 't1' }).ok).toBe(false);
  });
});

describe('metadata', () => {
  it('is read whole', () => {
    expect(readMetadata({ ...metadata, requestHash: 'h' })).toEqual({
      ok: true,
      metadata: { ...metadata, requestHash: 'h' },
    });
  });

  it.each(Object.keys(metadata))('misses %s', (field) => {
    expect(readMetadata(withoutField(metadata, field))).toEqual({
      ok: false,
      error: expect.stringContaining(field) as string,
    });
  });

  it.each([null, 'x', []])('is not %j', (value) => {
    expect(readMetadata(value).ok).toBe(false);
  });
});
