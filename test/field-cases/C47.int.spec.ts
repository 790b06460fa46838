import { describe, expect, it } from '@jest/globals';
import type { TaskChange } from '#application';
import { openEmbeddedStore } from '#event-store';
import { agentMessage, alice, userMessage, workerAgent } from '../support/index.js';
import { asCaller, openInProcess, withFolder } from '../support/in-process.js';
import { wholeLog } from '../support/stored-log.js';

const user = asCaller(alice);
const agent = asCaller(workerAgent);
const mebibyte = 1_048_576;
const writesMax = 200;

describe('C47 a full disk', () => {
  it('C47 writes are refused as unavailable, reads and watchers go on, and space makes writes work again', async () => {
    await withFolder(async (folder) => {
      const store = await openEmbeddedStore({ folder, fileBytesMax: mebibyte });
      const running = await openInProcess(store);
      try {
        const { commands, reader, live } = running.ledger;
        const { taskId } = (await commands.create(user, {})).task;
        const abort = new AbortController();
        const changes = live.watch(taskId, 0, abort.signal)[Symbol.asyncIterator]();

        const next = async (): Promise<TaskChange> => {
          const change = await changes.next();
          if (change.done === true) throw new Error('the watch ended');
          return change.value;
        };

        const text = 'x'.repeat(50_000);
        let accepted = 0;
        let fault: unknown;
        while (fault === undefined && accepted < writesMax)
          await commands.transition(agent, taskId, { to: 'working', message: agentMessage(text) }).then(
            () => (accepted += 1),
            (error: unknown) => (fault = error),
          );
        expect(fault).toMatchObject({ code: 'unavailable' });
        expect(store.health()).toMatchObject({ writable: false });
        const stored = (await wholeLog(store)).length;
        await expect(commands.create(user, { message: userMessage(text) })).rejects.toMatchObject({
          code: 'unavailable',
        });
        expect((await wholeLog(store)).length).toBe(stored);
        expect((await reader.read(user, taskId)).task.revision).toBe(accepted);
        for (let revision = 1; revision <= accepted; revision++)
          expect((await next()).event.revision).toBe(revision);

        store.limitFile(64 * mebibyte);
        const done = await commands.transition(agent, taskId, { to: 'completed' });
        expect(done.task).toMatchObject({ state: 'completed', revision: accepted + 1 });
        expect((await next()).event.type).toBe('TaskCompleted');
        expect(store.health()).toEqual({ writable: true });
        abort.abort();
      } finally {
        await running.close();
        await store.close();
      }
    });
  });
});
