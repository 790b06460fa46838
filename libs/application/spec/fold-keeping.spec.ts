import { MemoryEventStore } from '#testing';
import { HotFolds } from '../src/folds/hot-folds.js';
import type { TaskChange } from '../src/index.js';
import { alice, ledgerOn, userMessage, worker } from './given.js';

/** Four real changes of one task. */
const history = async (): Promise<readonly TaskChange[]> => {
  const ledger = await ledgerOn(new MemoryEventStore());
  const { taskId } = (await ledger.commands.create(alice, {})).task;
  await ledger.commands.transition(worker, taskId, { to: 'working' });
  await ledger.commands.send(alice, { message: userMessage('m', 'm', { taskId }) });
  await ledger.commands.transition(worker, taskId, { to: 'completed' });
  const changes: TaskChange[] = [];
  for await (const change of ledger.live.watch(taskId, -1, new AbortController().signal))
    changes.push(change);
  await ledger.close();
  return changes;
};

const foldOf = (changes: readonly TaskChange[]) => {
  const task = changes.at(-1)?.task;
  if (task === undefined) throw new Error('no changes');
  return { task, tail: changes };
};

describe('a hot fold', () => {
  let changes: readonly TaskChange[];
  let folds: HotFolds;

  beforeEach(async () => {
    changes = await history();
    folds = new HotFolds(1_000_000);
    folds.advance('t', changes.slice(0, 2));
  });

  const revisionOf = () => folds.get('t')?.task.revision;

  it('moves on by the next revision, and passes over what it has', () => {
    folds.follow('t', 1, () => changes[1]);
    expect(revisionOf()).toBe(1);
    folds.follow('t', 2, () => changes[2]);
    expect(revisionOf()).toBe(2);
  });

  it('is dropped by a gap', () => {
    folds.follow('t', 3, () => changes[3]);
    expect(revisionOf()).toBeUndefined();
    expect(folds.bytes).toBe(0);
  });

  it('is left alone while an append of its own process is under way', () => {
    folds.beginAppend('t');
    folds.follow('t', 2, () => changes[2]);
    expect(revisionOf()).toBe(1);
    folds.advance('t', changes.slice(2, 3));
    folds.endAppend('t');
    expect(revisionOf()).toBe(2);
  });

  it('C34 is dropped when somebody else wrote between an append and its answer', () => {
    folds.beginAppend('t');
    folds.follow('t', 2, () => changes[2]);
    folds.follow('t', 3, () => changes[3]);
    folds.advance('t', changes.slice(2, 3));
    folds.endAppend('t');
    expect(revisionOf()).toBeUndefined();
  });

  it('is of one moment for whoever holds it', () => {
    const held = folds.get('t');
    folds.advance('t', changes.slice(2));
    folds.forgetBefore('t', 3);
    expect(held).toEqual(foldOf(changes.slice(0, 2)));
  });

  it('is not made by a load that was overtaken while it ran', () => {
    const loading = folds.beginLoad('t');
    folds.advance('t', changes.slice(2, 3));
    folds.drop('t');
    folds.offer(loading, foldOf(changes.slice(0, 2)));
    expect(revisionOf()).toBeUndefined();
    folds.offer(loading, foldOf(changes.slice(0, 3)));
    expect(revisionOf()).toBe(2);
    folds.endLoad(loading);
  });

  it('never goes back to an older load', () => {
    const loading = folds.beginLoad('t');
    folds.offer(loading, foldOf(changes.slice(0, 1)));
    folds.endLoad(loading);
    expect(revisionOf()).toBe(1);
  });

  it('keeps no event below what a view has, and always the newest', () => {
    folds.advance('t', changes.slice(2));
    folds.forgetBefore('t', 2);
    expect(folds.get('t')?.tail.map(({ event }) => event.revision)).toEqual([2, 3]);
    folds.forgetBefore('t', 99);
    expect(folds.get('t')?.tail.map(({ event }) => event.revision)).toEqual([3]);
  });
});
