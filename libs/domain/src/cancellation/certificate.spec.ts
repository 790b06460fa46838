import {
  after,
  finish,
  finishAgain,
  line,
  notify,
  settle,
  typesOf,
  wait,
  waiting,
  write,
} from '../testing/cancellation.js';
import { at } from '../testing/events.js';
import { factsOf, shelfSizeMin } from '../task/shelves.js';
import { idLengthMax } from '../text/ids.js';
import { utf8Bytes } from '../text/utf8.js';
import { tasksOfEventMax } from './decide/pages.js';
import type { NodeOutcome } from './node.js';
import { applyFact } from './evolve.js';
import { nodeOf } from './worker.js';

const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => line(`k${String(from + index)}`));

describe('a line of the certificate', () => {
  it('is written as it was found', () => {
    const [first, second] = [line('k1'), line('k2', { outcome: 'lostRace', worker: 'none' })];
    const { events, log } = write(after(), settle(first, second));
    expect(events).toEqual([{ type: 'NodesSettled', data: { at: at(12), nodes: [first, second] } }]);
    expect(log).toMatchObject({
      nodeCount: 2,
      waitingCount: 0,
      counts: { canceled: 1, lostRace: 1, forced: 0 },
    });
    expect(log && nodeOf(log, 'k2')).toEqual({ kind: 'settled', node: second });
  });

  it('is written once', () => {
    expect(typesOf(after(settle(line('k1'))), settle(line('k1'), line('k2')))).toEqual(['NodesSettled']);
    expect(after(settle(line('k1')), settle(line('k1'), line('k2')))).toMatchObject({
      nodeCount: 2,
      counts: { canceled: 2 },
    });
    expect(typesOf(after(settle(line('k1'))), settle(line('k1')))).toEqual([]);
    expect(typesOf(after(), settle())).toEqual([]);
  });

  it('is final, whatever is found later', () => {
    const refused = line('k1', { outcome: 'refused', worker: 'none' });
    expect(typesOf(after(settle(refused)), settle(line('k1')))).toEqual([]);
  });

  it.each(['unreachable', 'unknownRemote'] as const)('that says %s is set right', (outcome) => {
    const lost = line('k1', { outcome, worker: 'none', lastError: 'task-unreadable' });
    const before = after(settle(lost));
    expect(typesOf(before, settle({ ...lost, attempts: 2 }))).toEqual([]);
    expect(write(before, settle(line('k1'))).log).toMatchObject({
      nodeCount: 1,
      counts: { [outcome]: 0, canceled: 1 },
      workers: { none: 0, unnotified: 1 },
    });
  });

  it('that cannot be seen is not doubted for the same reason, or a lesser one', () => {
    const unknown = after(settle(line('k1', { outcome: 'unknownRemote', worker: 'none' })));
    expect(typesOf(unknown, settle(line('k1', { outcome: 'unreachable', worker: 'none' })))).toEqual([]);
    expect(typesOf(unknown, settle(line('k1', { outcome: 'unknownRemote', worker: 'none' })))).toEqual([]);
    expect(typesOf(after(settle(line('k1'))), settle(line('k1', { outcome: 'unreachable' })))).toEqual([]);
  });

  it('stands once even where one batch names it twice', () => {
    const lost = line('k1', { outcome: 'unreachable', worker: 'none' });
    const twice = write(after(), settle(lost, line('k1', { outcome: 'forced' }), line('k1')));
    expect(twice.events).toMatchObject([{ data: { nodes: [{ taskId: 'k1', outcome: 'forced' }] } }]);
    expect(twice.log).toMatchObject({ nodeCount: 1, counts: { canceled: 0, forced: 1 } });
  });

  it('shares its event with at most 255 others', () => {
    const { events } = write(after(), settle(...lines(2 * tasksOfEventMax + 1)));
    expect(events.map((event) => (event.type === 'NodesSettled' ? event.data.nodes.length : 0))).toEqual([
      tasksOfEventMax,
      tasksOfEventMax,
      1,
    ]);
  });

  it('and all of them, under the longest ids there are, fit into one append', () => {
    const longest = (index: number) => `${String(index).padStart(3, '0')}${'語'.repeat(idLengthMax - 3)}`;
    const nodes = Array.from({ length: tasksOfEventMax }, (_, index) =>
      line(longest(index), {
        parentTaskId: longest(index + 1),
        depth: 100_000,
        policy: 'cooperative',
        late: true,
        outcome: 'alreadyTerminal',
        by: longest(index),
        revision: 100_000,
        worker: 'acknowledged',
        acknowledgedBy: longest(index),
        attempts: 1_000_000,
      }),
    );
    const [settled] = write(after(), settle(...nodes)).events;
    const [told] = write(after(), notify(...nodes.map(({ taskId }) => taskId))).events;
    // An append takes a million bytes; its metadata and its type are the rest.
    expect(utf8Bytes(JSON.stringify(settled))).toBeLessThan(950_000);
    expect(utf8Bytes(JSON.stringify(told))).toBeLessThan(950_000);
  });

  it('is found whatever the id of its task is (C45)', () => {
    const log = after(settle(line('__proto__'), line('constructor')));
    expect(nodeOf(log, '__proto__')).toMatchObject({ kind: 'settled', node: { taskId: '__proto__' } });
    expect(nodeOf(log, 'toString')).toBeUndefined();
  });

  it('stands among ten thousand, on a dozen shelves', () => {
    const all = Array.from({ length: 40 }, (_, page) => lines(tasksOfEventMax, page * tasksOfEventMax));
    const log = all.reduce(
      (before, nodes) => applyFact(before, { type: 'NodesSettled', data: { at: at(12), nodes } }, 'e'),
      after(),
    );
    expect(log.nodes.length).toBeLessThan(12);
    expect(log).toMatchObject({
      nodeCount: 10_240,
      counts: { canceled: 10_240 },
      workers: { unnotified: 10_240 },
    });
    expect(factsOf(log.nodes)).toHaveLength(10_240);
  });
});

describe('a task that is waited for', () => {
  it('has a line of its own until it is settled', () => {
    const { events, log } = write(after(), wait('k1'));
    expect(events).toEqual([{ type: 'NodeWaiting', data: { at: at(12), node: waiting('k1') } }]);
    expect(log).toMatchObject({ nodeCount: 1, waitingCount: 1, workers: { unnotified: 0 } });
    expect(after(wait('k1'), settle(line('k1', { outcome: 'forced' })))).toMatchObject({
      nodeCount: 1,
      waitingCount: 0,
      counts: { forced: 1 },
    });
  });

  it('is noted once, and not where it is settled', () => {
    expect(typesOf(after(wait('k1')), wait('k1'))).toEqual([]);
    expect(typesOf(after(settle(line('k1'))), wait('k1'))).toEqual([]);
  });

  it('among many others leaves their lines as they are', () => {
    const many = Array.from({ length: 3 * shelfSizeMin }, (_, index) => wait(`w${String(index)}`));
    const log = after(settle(...lines(tasksOfEventMax)), ...many, settle(line('w0')));
    expect(log).toMatchObject({ nodeCount: tasksOfEventMax + many.length, waitingCount: many.length - 1 });
    expect(nodeOf(log, 'k0')?.kind).toBe('settled');
    expect(nodeOf(log, 'w1')?.kind).toBe('waiting');
  });
});

describe('a certificate is settled', () => {
  it('once everything below the root was swept', () => {
    const log = after(settle(line('k1')));
    expect(typesOf(log, finishAgain)).toEqual([]);
    expect(write(log, finish).log).toMatchObject({ status: 'settled', settledAt: at(13), wasSettled: true });
    expect(log).toMatchObject({ status: 'running', wasSettled: false });
  });

  it('not while a task is waited for', () => {
    expect(typesOf(after(wait('k1')), finish)).toEqual([]);
    expect(typesOf(after(wait('k1'), settle(line('k1'))), finish)).toEqual(['CancellationSettled']);
  });

  it('once', () => {
    expect(typesOf(after(settle(line('k1')), finish), finish)).toEqual([]);
  });

  it('and running again when a late child brings a line', () => {
    const reopened = after(settle(line('k1')), finish, settle(line('late', { late: true })));
    expect(reopened).toMatchObject({ status: 'running', wasSettled: true });
    expect(reopened).not.toHaveProperty('settledAt');
    expect(typesOf(reopened, finishAgain)).toEqual(['CancellationSettled']);
    expect(after(settle(line('k1')), finish, wait('late'))).toMatchObject({ status: 'running' });
  });

  it('still, when nothing new is found', () => {
    expect(after(settle(line('k1')), finish, settle(line('k1')))).toMatchObject({ status: 'settled' });
  });
});

describe('a certificate is confirmed', () => {
  const closed: [NodeOutcome, Parameters<typeof line>[1]][] = [
    ['alreadyTerminal', { outcome: 'alreadyTerminal', worker: 'none' }],
    ['abandoned', { outcome: 'abandoned', worker: 'none' }],
    ['canceled', { outcome: 'canceled', worker: 'none' }],
    ['canceled', { outcome: 'canceled', worker: 'acknowledged', acknowledgedBy: 'worker-1' }],
  ];

  it.each(closed)('in one append with being settled, where no worker is left: %s', (_outcome, more) => {
    const { events, log } = write(after(settle(line('k1', more))), finish);
    expect(events).toEqual([
      { type: 'CancellationSettled', data: { at: at(13) } },
      { type: 'CancellationConfirmed', data: { at: at(13) } },
    ]);
    expect(log).toMatchObject({ status: 'confirmed', settledAt: at(13), confirmedAt: at(13) });
  });

  it('at once, where there was nobody at all', () => {
    expect(after(finish)).toMatchObject({ status: 'confirmed', nodeCount: 0 });
  });

  it('no more, when a late child brings a line', () => {
    const reopened = after(finish, settle(line('late', { late: true })));
    expect(reopened).toMatchObject({ status: 'running' });
    expect(reopened).not.toHaveProperty('confirmedAt');
  });
});
