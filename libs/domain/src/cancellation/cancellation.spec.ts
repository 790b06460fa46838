import { plain } from '../content.js';
import { readCancellationEvent } from '../reading/other-events.js';
import { alice, at, metadata } from '../testing/events.js';
import { refusalOf } from '../testing/given.js';
import type { CancellationCommand, NoteRepeat, OpenCancellation } from './commands.js';
import { cancellationRepeatsMax, decideCancellation } from './decide.js';
import { evolveCancellation } from './evolve.js';
import type { CancellationLog } from './log.js';

const open: OpenCancellation = {
  type: 'OpenCancellation',
  at: at(10),
  cancellationId: 'x1',
  rootTaskId: 't1',
  rootRevision: 3,
  requestedAt: at(9),
  request: { mode: 'immediate', cascade: true, requestedBy: alice },
  descendantsOnly: false,
  reason: 'too slow',
};

const repeat = (eventId: string, more: Partial<NoteRepeat> = {}): NoteRepeat => ({
  type: 'NoteRepeat',
  at: at(11),
  eventId,
  taskId: 't1',
  by: alice,
  ...more,
});

const write = (log: CancellationLog | undefined, command: CancellationCommand, id = 'e') => {
  const events = decideCancellation(command, log);
  const after = events.reduce<CancellationLog | undefined>((before, { type, data }) => {
    const reading = readCancellationEvent(type, JSON.parse(JSON.stringify(data)));
    if (!reading.ok) throw new Error(reading.error);
    return evolveCancellation(before, {
      ...reading.event,
      revision: (before?.revision ?? -1) + 1,
      id,
      metadata,
      bytes: 0,
    });
  }, log);
  return { events, log: after };
};

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
      tenant: 'acme',
      owner: 'alice',
    });
  });

  it('does not exist before it is opened', () => {
    expect(refusalOf(() => decideCancellation(repeat('e1'), undefined)).code).toBe('cancellation-not-found');
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
