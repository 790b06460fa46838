import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { alice, LedgerApi, spawnService, useService } from '../support/index.js';

describe('a data folder belongs to one process', () => {
  const service = useService();
  const user = new LedgerApi(service, alice);

  it('a second process is refused and told who holds the folder; the first goes on', async () => {
    const second = spawnService(service.directory);
    const [stdout, stderr, [code]] = await Promise.all([
      second.stdout === null ? '' : text(second.stdout),
      second.stderr === null ? '' : text(second.stderr),
      once(second, 'exit') as Promise<[number | null]>,
    ]);
    expect(code).not.toBe(0);
    expect(code).not.toBeNull();
    expect(stdout).not.toContain('ledger ready');
    expect(stdout + stderr).toContain(service.directory);
    expect(stdout + stderr).toContain(String(service.pid));
    expect((await user.create()).status).toBe(201);
  });

  it('a start right after kill -9 is not refused', async () => {
    const { taskId } = (await user.create()).body;
    await service.kill();
    await service.start();
    expect((await user.row(taskId)).body.taskId).toBe(taskId);
  });

  it('a start while the old process still drains waits for it', async () => {
    const old = service.terminate();
    const ready = service.start();
    await old;
    expect(await ready).toContain('ledger ready');
  });
});
