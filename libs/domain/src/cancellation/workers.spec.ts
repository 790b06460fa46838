import { plain } from '../content.js';
import {
  acknowledge,
  after,
  append,
  finish,
  line,
  notify,
  settle,
  typesOf,
  wait,
  write,
  writeLate,
} from '../testing/cancellation.js';
import { at } from '../testing/events.js';
import { factOn } from '../task/shelves.js';
import type { CancellationCommand } from './commands.js';
import { tasksOfEventMax } from './decide/pages.js';
import type { WorkerState } from './node.js';
import { workerFactsMax, workerStateOf } from './worker.js';

const worker = (...commands: readonly CancellationCommand[]): WorkerState =>
  workerStateOf(after(...commands), 'k1');

const canceled = settle(line('k1'));
const reported = settle(line('k1', { worker: 'acknowledged', acknowledgedBy: 'worker-1' }));
const neverStarted = settle(line('k1', { worker: 'none' }));

describe('a worker whose task was canceled', () => {
  it('is not known to know', () => {
    expect(worker(canceled)).toBe('unnotified');
    expect(after(canceled)).toMatchObject({ workers: { unnotified: 1 } });
  });

  it('is notified when the word goes out to its agent', () => {
    const { events, log } = write(after(canceled), notify('k1'));
    expect(events).toEqual([
      { type: 'WorkersNotified', data: { at: at(14), taskIds: ['k1'], to: 'worker-1', through: 'feed' } },
    ]);
    expect(log).toMatchObject({ workers: { unnotified: 0, notified: 1 } });
    expect(log && factOn(log.workerFacts, 'k1')).toEqual({
      worker: 'notified',
      at: at(14),
      by: 'worker-1',
      count: 1,
    });
  });

  it('acknowledges by the call of its agent', () => {
    const { events, log } = write(after(canceled, notify('k1')), acknowledge('k1', { note: 'stopped' }));
    expect(events).toEqual([
      {
        type: 'WorkerAcknowledged',
        data: {
          at: at(15),
          taskId: 'k1',
          by: { principal: 'worker-1', role: 'agent', via: 'ledger-api' },
          content: plain({ note: 'stopped' }),
        },
      },
    ]);
    expect(log).toMatchObject({ workers: { notified: 0, acknowledged: 1 } });
    expect(log && factOn(log.workerFacts, 'k1')).toMatchObject({ by: 'worker-1', at: at(15), count: 2 });
  });

  it('acknowledges by reporting the end itself', () => {
    expect(worker(reported)).toBe('acknowledged');
    expect(typesOf(after(reported), acknowledge('k1'))).toEqual([]);
  });

  it('wrote late when a write after the end was refused', () => {
    const { events, log } = write(after(canceled), writeLate('k1', { attempted: 'artifact' }));
    expect(events).toEqual([
      {
        type: 'WorkerWroteLate',
        data: { at: at(16), taskId: 'k1', principal: 'worker-1', attempted: 'artifact' },
      },
    ]);
    expect(log).toMatchObject({ workers: { unnotified: 0, wroteLate: 1 } });
  });
});

describe('the last that is known of a worker holds', () => {
  it.each<[WorkerState, string, CancellationCommand[]]>([
    ['acknowledged', 'word that goes out after it', [canceled, acknowledge('k1'), notify('k1')]],
    ['wroteLate', 'word that goes out after it', [canceled, writeLate('k1'), notify('k1')]],
    ['wroteLate', 'an acknowledgement before it', [canceled, acknowledge('k1'), writeLate('k1')]],
    ['wroteLate', 'a report of the end before it', [reported, writeLate('k1')]],
    ['acknowledged', 'a late write before it', [canceled, writeLate('k1'), acknowledge('k1')]],
    ['acknowledged', 'word that goes out to who reported the end', [reported, notify('k1')]],
  ])('%s stands against %s', (state, _what, commands) => {
    expect(worker(...commands)).toBe(state);
  });

  it.each([
    [notify('k1'), [canceled, notify('k1')]],
    [notify('k1', 'k1'), [canceled, acknowledge('k1')]],
    [notify('k1'), [reported]],
    [acknowledge('k1'), [canceled, acknowledge('k1')]],
    [writeLate('k1'), [canceled, writeLate('k1')]],
  ])('and is not written twice: $0.type', (command, commands) => {
    expect(typesOf(after(...commands), command)).toEqual([]);
  });

  it('and one event speaks of at most 256 workers', () => {
    const taskIds = Array.from({ length: tasksOfEventMax + 1 }, (_, index) => `k${String(index)}`);
    const { events, log } = write(after(), notify(...taskIds));
    expect(events.map(({ data }) => ('taskIds' in data ? data.taskIds.length : 0))).toEqual([
      tasksOfEventMax,
      1,
    ]);
    expect(log && workerStateOf(log, `k${String(tasksOfEventMax)}`)).toBe('notified');
  });

  it('tells each of many once', () => {
    const log = after(settle(line('k1'), line('k2'), line('k3')), notify('k2'));
    expect(write(log, notify('k1', 'k2', 'k3', 'k1')).events).toMatchObject([
      { data: { taskIds: ['k1', 'k3'] } },
    ]);
  });
});

describe('nothing is to hear', () => {
  it.each(['alreadyTerminal', 'lostRace', 'abandoned', 'refused', 'unreachable', 'unknownRemote'] as const)(
    'for a worker whose task this cancellation did not end: %s',
    (outcome) => {
      const log = after(settle(line('k1', { outcome, worker: 'none' })));
      for (const command of [notify('k1'), acknowledge('k1'), writeLate('k1')])
        expect(typesOf(log, command)).toEqual([]);
      expect(workerStateOf(log, 'k1')).toBe('none');
      expect(log).toMatchObject({ workers: { none: 1 } });
    },
  );

  it('where nobody had taken the work up, unless somebody shows up after all', () => {
    expect(typesOf(after(neverStarted), notify('k1'))).toEqual([]);
    expect(worker(neverStarted, writeLate('k1'))).toBe('wroteLate');
    expect(worker(neverStarted, acknowledge('k1'))).toBe('acknowledged');
  });
});

describe('what is known before the line stands', () => {
  it.each<[WorkerState, CancellationCommand]>([
    ['notified', notify('k1')],
    ['acknowledged', acknowledge('k1')],
    ['wroteLate', writeLate('k1')],
  ])('%s is kept for it', (state, fact) => {
    const before = after(wait('k1'), fact);
    expect(before.workers).toMatchObject({ [state]: 0, unnotified: 0 });
    expect(workerStateOf(before, 'k1')).toBe(state);
    expect(write(before, canceled).log?.workers).toMatchObject({ [state]: 1, unnotified: 0 });
  });

  it('says nothing of a worker that has nothing to hear', () => {
    const passed = settle(line('k1', { outcome: 'lostRace', worker: 'none' }));
    expect(worker(wait('k1'), notify('k1'), passed)).toBe('none');
    expect(after(writeLate('k1'), passed, finish)).toMatchObject({
      status: 'confirmed',
      workers: { none: 1 },
    });
  });

  it('does not unsay that the agent reported the end', () => {
    expect(worker(notify('k1'), reported)).toBe('acknowledged');
    expect(worker(notify('k1'), neverStarted)).toBe('none');
  });
});

describe('a certificate is confirmed by its workers', () => {
  const settled = after(settle(line('k1'), line('k2')), finish);

  it('when the last of them has acknowledged, in the same append', () => {
    expect(settled).toMatchObject({ status: 'settled' });
    const first = write(settled, acknowledge('k1'));
    expect(first.events.map(({ type }) => type)).toEqual(['WorkerAcknowledged']);
    const second = write(first.log, acknowledge('k2'));
    expect(second.events.map(({ type }) => type)).toEqual(['WorkerAcknowledged', 'CancellationConfirmed']);
    expect(second.log).toMatchObject({ status: 'confirmed', confirmedAt: at(15), settledAt: at(13) });
  });

  it('not by word that goes out', () => {
    expect(write(settled, notify('k1', 'k2')).log).toMatchObject({
      status: 'settled',
      workers: { notified: 2 },
    });
  });

  it('not before every line stands', () => {
    const log = after(settle(line('k1')), wait('k2'), acknowledge('k1'));
    expect(log).toMatchObject({ status: 'running', workers: { acknowledged: 1 } });
    expect(after(settle(line('k1')), acknowledge('k1'), finish)).toMatchObject({ status: 'confirmed' });
  });

  it('no more when one of them writes again, until it acknowledges', () => {
    const confirmed = after(canceled, finish, acknowledge('k1'));
    const again = write(confirmed, writeLate('k1')).log;
    expect(again).toMatchObject({ status: 'settled', settledAt: at(13), workers: { wroteLate: 1 } });
    expect(again).not.toHaveProperty('confirmedAt');
    expect(write(again, acknowledge('k1', { at: at(20) })).log).toMatchObject({
      status: 'confirmed',
      confirmedAt: at(20),
    });
  });

  it('no more when it is settled anew, as each is said by its own event', () => {
    const confirmed = after(canceled, finish, acknowledge('k1'));
    const again = append(confirmed, [{ type: 'CancellationSettled', data: { at: at(20) } }]);
    expect(again).toMatchObject({ status: 'settled', settledAt: at(20) });
    expect(again).not.toHaveProperty('confirmedAt');
  });

  it('still, when word goes out once more or somebody else is heard of', () => {
    const confirmed = after(canceled, finish, acknowledge('k1'));
    expect(write(confirmed, notify('elsewhere')).log).toMatchObject({
      status: 'confirmed',
      confirmedAt: at(15),
    });
    expect(write(confirmed, writeLate('elsewhere')).log).toMatchObject({ status: 'confirmed' });
  });
});

describe('of one worker', () => {
  const turns = Array.from({ length: workerFactsMax }, () => [writeLate('k1'), acknowledge('k1')]).flat();

  it('only so much is noted, and the last of it is never an acknowledgement', () => {
    for (const first of [[], [notify('k1')]]) {
      const log = after(canceled, finish, ...first, ...turns);
      expect(factOn(log.workerFacts, 'k1')?.count).toBeLessThanOrEqual(workerFactsMax);
      expect(log).toMatchObject({ status: 'settled', workers: { wroteLate: 1 } });
      for (const command of [writeLate('k1'), acknowledge('k1'), notify('k1')])
        expect(typesOf(log, command)).toEqual([]);
    }
  });

  it('others are noted all the same', () => {
    const log = after(canceled, settle(line('k2')), ...turns);
    expect(typesOf(log, acknowledge('k2'))).toEqual(['WorkerAcknowledged']);
  });
});
