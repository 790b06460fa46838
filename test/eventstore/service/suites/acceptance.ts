import { describe, expect, it } from '@jest/globals';
import { firstTask } from '../../../acceptance/suites/first-task.js';
import { sizes } from '../../../acceptance/suites/sizes.js';
import { freshNamespace, type Scheme, useEventStoreServer } from '../../../support/event-store-server.js';
import {
  alice,
  c26Canceled,
  c26Tree,
  grow,
  httpRequest,
  LedgerApi,
  settled,
  useService,
  workerAgent,
} from '../../../support/index.js';

/** What every user sees of the service must not depend on where its events are. */
export const acceptanceOn = (scheme: Scheme): void => {
  const server = useEventStoreServer();
  const namespace = freshNamespace();
  const service = useService({ environment: () => server.environment(namespace, scheme) });
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  describe('a first task', () => {
    firstTask(service);
  });

  describe('C39 sizes', () => {
    sizes(service);
  });

  it('C26 a cancel goes down the links, and its certificate says what became of each', async () => {
    const tree = await grow(user, agent, c26Tree);
    const { cancellationId } = (await user.cancel(tree.root)).body;
    const { counts, nodes } = await settled(user, cancellationId);
    expect(counts).toMatchObject({ canceled: c26Canceled.length, alreadyTerminal: 1, abandoned: 1 });
    expect(nodes).toHaveLength(tree.taskIds.length);
  });

  it('one key makes one task, also after kill -9, and everything is read again', async () => {
    const once = { 'Idempotency-Key': 'one-task' };
    const { taskId } = (await user.create({ metadata: { plan: 'a' } }, once)).body;
    await agent.emit(taskId, 'working', 'on it');
    const before = (await user.events(taskId)).body;
    await service.restart();
    expect((await user.events(taskId)).body).toEqual(before);
    expect((await user.create({ metadata: { plan: 'a' } }, once)).body.taskId).toBe(taskId);
    expect((await user.rows(`pageSize=1`)).body.rows[0]?.taskId).toBe(taskId);
  });

  it('is ready, and says where its events are and nothing else of the connection', async () => {
    const ready = await httpRequest(`${service.url}/readyz`);
    expect(ready.json).toMatchObject({ status: 'ready', reasons: [] });
    expect(service.output).toMatch(new RegExp(`^ledger ready .* events=${scheme}://[^?@ ]+ `, 'm'));
  });
};
