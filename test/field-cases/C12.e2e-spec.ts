import { describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  agentMessage,
  alice,
  inParallel,
  LedgerApi,
  useService,
  workerAgent,
} from '../support/index.js';

const sends = 500;

describe('C12 an answer is of one moment', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  it('C12 500 answers given while the agent fails the task each equal the replay of one revision', async () => {
    const feed = await agent.feed('types=TaskSubmitted&from=end');
    const failing = (async () => {
      for (let index = 0; index < sends; index++) {
        const [frame] = await feed.take(1);
        const { taskId } = JSON.parse(frame?.data ?? '{}') as { taskId: string };
        void agent.transition(taskId, { to: 'failed', message: agentMessage('no', { messageId: 'no' }) });
      }
    })();
    const answers = await inParallel(sends, 16, () => rpc.newTask());
    await failing;
    feed.destroy();

    await inParallel(sends, 16, async (index) => {
      const answer = answers[index];
      if (answer === undefined) throw new Error('no answer');
      const revision = answer.status.state === 'TASK_STATE_SUBMITTED' ? 0 : 1;
      const replay = await agent.replay(answer.id, `revision=${String(revision)}`);
      // An answer of revision 1 is there only once the failure is stored.
      expect({ ...replay.body.task, artifacts: [] }).toEqual({ ...answer, artifacts: [] });
    });
  });
});
