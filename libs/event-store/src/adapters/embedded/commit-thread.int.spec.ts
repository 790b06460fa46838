import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { event, follow, idsOf, someEvents, wholeLog } from '../../contract/support.contract.js';
import { openEmbeddedStore } from './embedded-store.js';
import type { EmbeddedStore } from './embedded-store.js';

const commitScript = fileURLToPath(new URL('./fixtures/mute-commit.worker.mjs', import.meta.url));

describe('a commit thread that dies after a commit, before its answer', () => {
  let folder: string;
  let store: EmbeddedStore;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'event-store-'));
    store = await openEmbeddedStore({ folder, commitScript });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['first append of a stream', 'none', 1],
    ['append of two events', 'none', 2],
    ['large batch', 'none', 256],
  ] as const)(
    'C36 the %s: outcome unknown; repeated, it answers and is stored once',
    async (_, expected, count) => {
      const events = someEvents(count);
      await expect(store.append('test.task-mute', events, expected)).rejects.toMatchObject({
        code: 'outcome-unknown',
      });
      expect(store.health()).toMatchObject({ writable: false });
      const repeated = await store.append('test.task-mute', events, expected);
      expect(repeated).toMatchObject({ revision: count - 1 });
      expect(store.health()).toEqual({ writable: true });
      expect(idsOf(await wholeLog(store, 'test.'))).toEqual(idsOf(events));
    },
  );

  it('C38 its events reach every subscriber, in their place', async () => {
    await store.append('test.before', [event()], 'none');
    const following = follow(store, { from: 'start', prefix: 'test.' }, (events) => events.length >= 4);
    await expect(store.append('test.task-mute', someEvents(2), 'none')).rejects.toThrow();
    await store.append('test.afterwards', [event()], 'none');
    expect(await following).toEqual(await wholeLog(store, 'test.'));
  });

  it('may be closed while it is gone', async () => {
    await expect(store.append('test.task-mute', [event()], 'none')).rejects.toThrow();
    const waiting = store.append('test.task', [event()], 'none');
    const refused = expect(waiting).rejects.toMatchObject({ code: 'store-unavailable' });
    await store.close();
    await refused;
  });
});
