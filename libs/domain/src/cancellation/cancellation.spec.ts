import { plain } from '../content.js';
import {
  acknowledge,
  finish,
  line,
  notify,
  open,
  settle,
  wait,
  write,
  writeLate,
} from '../testing/cancellation.js';
import { alice, at, metadata } from '../testing/events.js';
import { refusalOf } from '../testing/given.js';
import type { NoteRepeat, OpenCancellation } from './commands.js';
import { cancellationRepeatsMax, decideCancellation } from './decide.js';
import { evolveCancellation } from './evolve.js';

const repeat = (eventId: string, more: Partial<NoteRepeat> = {}): NoteRepeat => ({
  type: 'NoteRepeat',
  at: at(11),
  eventId,
  taskId: 't1',
  by: alice,
  ...more,
});

const opened = write(undefined, open).log;

describe('a cancellation', () => {
  it('is opened with the request as it was asked', () => {
    const { type: _type, reason, ...facts } = open;
    expect(write(undefined, open).events).toEqual([
      { type: 'CancellationOpened', data: { ...facts, content: plain({ reason }) } },
    ]);
  });

  it('is opened once: whoever comes second adds nothing', () => {
    expect(write(opened, open).events).toEqual([]);
  });

  it('is folded with everything a certificate begins with', () => {
    const { type: _type, at: openedAt, ...facts } = open;
    expect(opened).toEqual({
      ...facts,
      revision: 0,
      lastEventId: 'e',
      updatedAt: openedAt,
      repeats: [],
      nodes: [],
      nodeCount: 0,
      waitingCount: 0,
      workerFacts: [],
      counts: {
        canceled: 0,
        forced: 0,
        alreadyTerminal: 0,
        lostRace: 0,
        abandoned: 0,
        refused: 0,
        unreachable: 0,
        unknownRemote: 0,
      },
      workers: { none: 0, unnotified: 0, notified: 0, acknowledged: 0, leaseExpired: 0, wroteLate: 0 },
      status: 'running',
      wasSettled: false,
      tenant: 'acme',
      owner: 'alice',
    });
  });

  it.each([
    repeat('e1'),
    settle(line('k1')),
    wait('k1'),
    finish,
    notify('k1'),
    acknowledge('k1'),
    writeLate('k1'),
  ])('does not exist before it is opened: $type', (command) => {
    expect(refusalOf(() => decideCancellation(command, undefined)).code).toBe('cancellation-not-found');
  });

  it.each([
    [{ descendantsOnly: true, rootRevision: undefined }, 'everything below a task'],
    [{ parentEnded: true }, 'the orphans of a task that ended otherwise'],
  ])('may be one of its own kind: %j', (kind, _what) => {
    const { rootRevision, ...rest } = { ...open, ...kind };
    const command: OpenCancellation = { ...rest, ...(rootRevision !== undefined && { rootRevision }) };
    expect(write(undefined, command).log).toMatchObject(
      Object.fromEntries(Object.entries(kind).filter(([, value]) => value !== undefined)),
    );
    expect(Object.hasOwn(write(undefined, command).log ?? {}, 'rootRevision')).toBe(
      rootRevision !== undefined,
    );
  });
});

describe('the same cancel asked again', () => {
  it('is noted with who asked, and why', () => {
    const { events, log } = write(opened, repeat('e1', { reason: 'now' }), 'e1');
    expect(events).toEqual([
      {
        type: 'CancellationRepeated',
        data: { at: at(11), taskId: 't1', by: alice, content: plain({ reason: 'now' }) },
      },
    ]);
    expect(log?.repeats).toEqual([{ eventId: 'e1', at: at(11), taskId: 't1', by: alice }]);
  });

  it('is noted once under one id', () => {
    const first = write(opened, repeat('e1'), 'e1').log;
    const second = write(first, repeat('e2'), 'e2').log;
    expect(write(second, repeat('e1')).events).toEqual([]);
  });

  it('is noted a hundred times', () => {
    let log = opened;
    for (let count = 0; count < cancellationRepeatsMax; count += 1) {
      log = write(log, repeat(String(count)), String(count)).log;
    }
    expect(log?.repeats).toHaveLength(cancellationRepeatsMax);
    expect(write(log, repeat('one more')).events).toEqual([]);
  });

  it('never stands earlier than what was noted before', () => {
    expect(write(opened, repeat('e1', { at: at(1) })).events).toMatchObject([{ data: { at: at(10) } }]);
  });
});

describe('a fold of a cancellation', () => {
  it('takes an event that comes again as nothing', () => {
    const { events, log } = write(opened, repeat('e1'), 'e1');
    const [event] = events;
    if (event === undefined) throw new Error('nothing noted');
    expect(evolveCancellation(log, { ...event, revision: 1, id: 'e1', metadata, bytes: 0 })).toBe(log);
  });

  it('of a stream without its beginning is none', () => {
    const [event] = decideCancellation(repeat('e1'), opened);
    if (event === undefined) throw new Error('nothing noted');
    expect(
      evolveCancellation(undefined, { ...event, revision: 0, id: 'e1', metadata, bytes: 0 }),
    ).toBeUndefined();
  });
});
