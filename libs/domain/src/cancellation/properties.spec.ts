import fc from 'fast-check';
import {
  acknowledge,
  finish,
  finishAgain,
  line,
  notify,
  open,
  settle,
  wait,
  write,
  writeLate,
} from '../testing/cancellation.js';
import { factsOf } from '../task/shelves.js';
import type { CancellationCommand } from './commands.js';
import type { CancellationLog } from './log.js';
import { nodeOutcomes, workerStates } from './node.js';
import { isClosed, openWorkers, workerFactsMax, workerStateOf } from './worker.js';

// Any order of any commands to one cancellation.

const ids = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const lines = fc
  .record({
    taskId: ids,
    outcome: fc.constantFrom(...nodeOutcomes),
    worker: fc.constantFrom('none', 'unnotified', 'acknowledged'),
  })
  .map(({ taskId, outcome, worker }) => line(taskId, { outcome, worker }));

const commands: fc.Arbitrary<CancellationCommand> = fc.oneof(
  fc.array(lines, { maxLength: 4 }).map((nodes) => settle(...nodes)),
  ids.map(wait),
  fc.constantFrom(finish, finishAgain),
  fc.array(ids, { maxLength: 4 }).map((taskIds) => notify(...taskIds)),
  ids.map((id) => acknowledge(id)),
  ids.map((id) => writeLate(id)),
);

const opened = (): CancellationLog => {
  const { log } = write(undefined, open);
  if (log === undefined) throw new Error('not opened');
  return log;
};

/** Every fold on the way, after each command. */
const folds = (order: readonly CancellationCommand[]): readonly CancellationLog[] =>
  order.reduce<readonly CancellationLog[]>(
    (before, command) => [...before, write(before.at(-1), command).log ?? opened()],
    [opened()],
  );

const tallied = <Word extends string>(words: readonly Word[], found: readonly Word[]) =>
  Object.fromEntries(words.map((word) => [word, found.filter((one) => one === word).length]));

const assertAddsUp = (log: CancellationLog): void => {
  const nodes = factsOf(log.nodes).map(([, fact]) => fact);
  const settled = nodes.flatMap((fact) => (fact.kind === 'settled' ? [fact.node] : []));
  const workers = settled.map(({ taskId }) => workerStateOf(log, taskId));
  expect(log.nodeCount).toBe(nodes.length);
  expect(log.waitingCount).toBe(nodes.length - settled.length);
  expect(log.counts).toEqual(
    tallied(
      nodeOutcomes,
      settled.map(({ outcome }) => outcome),
    ),
  );
  expect(log.workers).toEqual(tallied(workerStates, workers));
  expect(openWorkers(log)).toBe(workers.filter((worker) => !isClosed(worker)).length);
};

const orders = fc.array(commands, { maxLength: 25 });

describe('any order of commands to a cancellation', () => {
  it('leaves counts that add up', () => {
    fc.assert(
      fc.property(orders, (order) => {
        assertAddsUp(folds(order).at(-1) ?? opened());
      }),
    );
  });

  it('is confirmed exactly while it is settled and every worker is closed', () => {
    fc.assert(
      fc.property(orders, (order) => {
        for (const log of folds(order)) {
          const { status, settledAt, confirmedAt, waitingCount } = log;
          if (status !== 'running') expect(waitingCount).toBe(0);
          if (status !== 'running') expect(status === 'confirmed').toBe(openWorkers(log) === 0);
          expect(settledAt !== undefined).toBe(status !== 'running');
          expect(confirmedAt !== undefined).toBe(status === 'confirmed');
        }
      }),
    );
  });

  it('writes nothing when each is given twice', () => {
    fc.assert(
      fc.property(orders, commands, (order, command) => {
        const { log } = write(folds(order).at(-1), command);
        expect(write(log, command).events).toEqual([]);
      }),
    );
  });

  it('notes no more of a worker than there is room for', () => {
    fc.assert(
      fc.property(fc.array(commands, { minLength: 60, maxLength: 90 }), (order) => {
        const log = folds(order).at(-1) ?? opened();
        for (const [, { count }] of factsOf(log.workerFacts))
          expect(count).toBeLessThanOrEqual(workerFactsMax);
      }),
      { numRuns: 30 },
    );
  });

  it('folds the same from a fold that went through JSON', () => {
    fc.assert(
      fc.property(orders, commands, (order, command) => {
        const log = folds(order).at(-1) ?? opened();
        const stored = JSON.parse(JSON.stringify(log)) as CancellationLog;
        expect(write(stored, command).log).toEqual(write(log, command).log);
      }),
    );
  });
});
