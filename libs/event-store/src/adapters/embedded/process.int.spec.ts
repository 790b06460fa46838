import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { RecordedEvent } from '../../port.js';
import { wholeLog } from '../../contract/support.contract.js';
import { openEmbeddedStore } from './embedded-store.js';
import { FolderInUseError } from './folder-lock.js';

const fixture = fileURLToPath(new URL('./fixtures/appending-process.mjs', import.meta.url));

let folder: string;
let running: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-store-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map(kill));
  rmSync(folder, { recursive: true });
});

/** Starts a process on the folder; its lines of acknowledged events come one by one. */
const startAppending = async (
  writers: number,
): Promise<{ process: ChildProcess; lines: AsyncIterator<string> }> => {
  const child = spawn(process.execPath, [fixture, folder, String(writers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: 'open' });
  return { process: child, lines };
};

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
};

describe('the lock of a folder', () => {
  it('refuses a second process and names the first', async () => {
    const { process: holder } = await startAppending(1);
    const refused = openEmbeddedStore({ folder, lockMilliseconds: 100 });
    await expect(refused).rejects.toThrow(FolderInUseError);
    await expect(refused).rejects.toThrow(`is in use by process ${String(holder.pid)}`);
  });

  it('refuses a second store in the same process', async () => {
    const store = await openEmbeddedStore({ folder });
    const refused = openEmbeddedStore({ folder, lockMilliseconds: 0 });
    await expect(refused).rejects.toThrow(`is in use by process ${String(process.pid)}`);
    await store.close();
  });

  it('is waited for', async () => {
    const first = await openEmbeddedStore({ folder });
    const second = openEmbeddedStore({ folder });
    await first.close();
    await (await second).close();
  });

  it('dies with its process: a start right after kill -9 is not refused', async () => {
    const { process: holder } = await startAppending(1);
    await kill(holder);
    const store = await openEmbeddedStore({ folder, lockMilliseconds: 0 });
    expect(store.health()).toEqual({ writable: true });
    await store.close();
  });

  it('is let go when the log cannot be opened', async () => {
    writeFileSync(
      join(folder, 'events.db'),
      'this is no database, and long enough to be read as the header of one'.repeat(99),
    );
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(openEmbeddedStore({ folder, lockMilliseconds: 0 })).rejects.toThrow(
        'the event log cannot be opened',
      );
  });
});

describe('kill -9 while appending', () => {
  it('loses nothing that was acknowledged, keeps nothing twice and leaves no gap', async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round++) {
      const { process: writer, lines } = await startAppending(16);
      const target = acknowledged.length + 400;
      let killed: Promise<void> | undefined;
      for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
        acknowledged.push(line.value);
        if (acknowledged.length >= target) killed ??= kill(writer);
      }
      await killed;
    }
    const store = await openEmbeddedStore({ folder, lockMilliseconds: 0 });
    const stored = await wholeLog(store, 'test.');
    const found = new Set(stored.map((one) => `${one.stream} ${String(one.revision)} ${one.id}`));
    expect(acknowledged.filter((line) => !found.has(line))).toEqual([]);
    expect(found.size).toBe(stored.length);
    expect(gapsIn(stored)).toEqual([]);
    await store.close();
  }, 60_000);
});

/** Events whose revision is not the next one of their stream. */
const gapsIn = (events: readonly RecordedEvent[]): RecordedEvent[] => {
  const next = new Map<string, number>();
  return events.filter(({ stream, revision }) => {
    const expected = next.get(stream) ?? 0;
    next.set(stream, expected + 1);
    return revision !== expected;
  });
};
