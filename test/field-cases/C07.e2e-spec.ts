import { describe, expect, it } from '@jest/globals';
import { A2aRpc, alice, LedgerApi, stateIn, useService, workerAgent } from '../support/index.js';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('C07 updates without a state, or with a time of their own', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  it('C07 an update without a state is refused; the task and its streams stay open', async () => {
    const { id } = await rpc.newTask();
    const watcher = await rpc.subscribe(id);
    await watcher.take(1);
    const events = (await agent.events(id)).body.events;

    for (const body of [{}, { to: '' }, { to: null }, { to: 'unspecified' }, { to: 'submitted' }]) {
      const answer = await agent.post(`/tasks/${id}/transitions`, body);
      expect([answer.status, answer.problem.code]).toEqual([400, 'invalid-request']);
      expect(answer.text).toContain('to');
    }
    expect((await agent.events(id)).body.events).toEqual(events);
    await agent.emit(id, 'completed');
    expect((await watcher.rest()).map(stateIn)).toEqual(['TASK_STATE_COMPLETED']);
  });

  it('C07 a missing time is stamped by the ledger, in UTC milliseconds', async () => {
    const { id } = await rpc.newTask();
    const { updatedAt, createdAt } = (await agent.emit(id, 'working')).body;
    expect([createdAt, updatedAt]).toEqual([expect.stringMatching(instant), expect.stringMatching(instant)]);
    expect((await rpc.getTask(id)).result.status.timestamp).toBe(updatedAt);
  });

  it('C07 the time an agent gives is kept as UTC beside the time of the ledger', async () => {
    const { id } = await rpc.newTask();
    const answer = await agent.transition(id, { to: 'working', occurredAt: '2026-01-01T10:00:00+02:00' });
    expect(answer.status).toBe(200);
    const event = (await agent.events(id)).body.events[1];
    expect(event?.occurredAt).toBe('2026-01-01T08:00:00.000Z');
    expect(event?.at).toMatch(instant);
    expect((event?.at ?? '') > '2026-01-01T08:00:00.000Z').toBe(true);
  });

  it.each(['yesterday', '2026-13-01T00:00:00Z', '1700000000', '2026-01-01'])(
    'C07 a time that is none is refused: %s',
    async (occurredAt) => {
      const { id } = await rpc.newTask();
      const answer = await agent.transition(id, { to: 'working', occurredAt });
      expect(answer.problem).toMatchObject({ code: 'invalid-request', field: 'occurredAt' });
      expect(await agent.eventTypes(id)).toEqual(['TaskSubmitted']);
    },
  );
});
