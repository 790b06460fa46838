import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryEventStore } from '#testing';
import { alice, agentMessage, workerAgent } from '../support/index.js';
import { asCaller, type LedgerInProcess, openInProcess } from '../support/in-process.js';

const user = asCaller(alice);
const agent = asCaller(workerAgent);
const hourMs = 3_600_000;

/** A wall clock that a test sets, also backwards. */
class SetClock {
  milliseconds = Date.UTC(2026, 2, 1, 12);
  now(): number {
    return this.milliseconds;
  }
}

describe('C07 a clock that jumps back', () => {
  let clock: SetClock;
  let store: MemoryEventStore;
  let running: LedgerInProcess;

  beforeEach(async () => {
    clock = new SetClock();
    store = new MemoryEventStore();
    running = await openInProcess(store, { clock });
  });
  afterEach(async () => {
    await running.close();
    await store.close();
  });

  it('C07 the state is the last one appended, and the times of a task never go back', async () => {
    const { commands, reader } = running.ledger;
    const { taskId } = (await commands.create(user, {})).task;
    clock.milliseconds -= hourMs;
    await commands.transition(agent, taskId, { to: 'input-required', message: agentMessage('well?') });
    const { task } = await commands.transition(agent, taskId, { to: 'working', message: agentMessage('so') });
    expect(task).toMatchObject({ state: 'working', revision: 2 });
    const { events } = await reader.events(user, taskId, { limit: 10, direction: 'forwards' });
    expect(events.map(({ at }) => at)).toEqual(Array.from({ length: 3 }, () => '2026-03-01T12:00:00.000Z'));
    expect(task.updatedAt).toBe('2026-03-01T12:00:00.000Z');
    expect(events.map(({ position }) => position)).toEqual(
      [...events.map(({ position }) => position)].sort(),
    );
  });

  it('C07 lists are complete, page by page, although the clock went back between the tasks', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 9; index++) {
      ids.push((await running.ledger.commands.create(user, {})).task.taskId);
      clock.milliseconds += index % 3 === 0 ? -hourMs : 1;
    }
    const told: string[] = [];
    for (let pageToken = ''; ;) {
      const request = { filter: {}, pageSize: 2, ...(pageToken === '' ? {} : { pageToken }) };
      const page = await running.views.reader.listRows(user, request);
      expect(page.totalSize).toBe(ids.length);
      told.push(...page.items.map(({ taskId }) => taskId));
      pageToken = page.nextPageToken;
      if (pageToken === '') break;
    }
    expect([...told].sort()).toEqual([...ids].sort());
  });

  it('C12 an answer that is changed in the process changes nothing in the ledger', async () => {
    const { commands, reader } = running.ledger;
    const { taskId } = (await commands.create(user, { metadata: { n: 1 } })).task;
    await commands.transition(agent, taskId, { to: 'working', message: agentMessage('so') });
    const before = structuredClone((await reader.row(user, taskId)).row);
    const answer: object = (await reader.row(user, taskId)).row;
    for (const key of Object.keys(answer)) Reflect.set(answer, key, 'changed');
    expect((await reader.row(user, taskId)).row).toEqual(before);
    const written = await commands.transition(agent, taskId, { to: 'completed' });
    expect(written.task).toMatchObject({ state: 'completed', revision: 2, contextId: before.contextId });
  });
});
