import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from '@jest/globals';
import { A2aRpc, alice, useService } from '../support/index.js';

const holdMs = 2_000;
const sends = 100;

describe('C47 a log that somebody else holds for a while', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);

  it('C47 100 sends under a foreign write lock of 2 s all succeed after it, reads go on, nothing is doubled', async () => {
    const contextId = 'locked';
    const known = await rpc.newTask();
    const other = new Database(join(service.directory, 'events.db'), { fileMustExist: true });
    try {
      other.exec('BEGIN IMMEDIATE');
      const sending = Promise.all(Array.from({ length: sends }, () => rpc.newTask('x', { contextId })));
      const end = Date.now() + holdMs;
      while (Date.now() < end) {
        expect((await rpc.getTask(known.id)).result.id).toBe(known.id);
        await delay(100);
      }
      other.exec('ROLLBACK');
      const ids = (await sending).map(({ id }) => id);
      expect(new Set(ids).size).toBe(sends);
      expect((await rpc.listTasks({ contextId, pageSize: 1 })).result.totalSize).toBe(sends);
    } finally {
      other.close();
    }
  });
});
