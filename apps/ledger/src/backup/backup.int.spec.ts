import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openLog, systemClock, systemIds, type SagaCheckpoint } from '#application';
import { type EventStore, openEmbeddedStore, type RecordedEvent } from '#event-store';
import { MemoryEventStore } from '#testing';
import { openState } from '#views';
import { type LedgerConfig, readConfig } from '../config/config.js';
import { everyEvent } from './every-event.js';
import type { Manifest } from './manifest.js';
import { restoreBackup, type Restored } from './restore-backup.js';
import { takeBackup } from './take-backup.js';

const namespace = 'ledger';
const serverUrl = 'esdb://127.0.0.1:1?tls=false';

/** A server of events outlives whoever connects to it. */
class ServerStore extends MemoryEventStore {
  override close(): Promise<void> {
    return Promise.resolve();
  }
}

class Server {
  readonly store = new ServerStore();
  readonly connect = (): Promise<EventStore> => Promise.resolve(this.store);
}

const event = (): { id: string; type: string; data: string; metadata: string } => ({
  id: randomUUID(),
  type: 'Happened',
  data: '{"text": "half a line\\n", "n": 1.0}',
  metadata: '{}',
});

const allOf = async (store: EventStore): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const one of everyEvent(store, `${namespace}.`)) events.push(one);
  return events;
};
const idsOf = async (store: EventStore): Promise<string[]> => (await allOf(store)).map(({ id }) => id);

/** A ledger's log with some tasks, and a saga that has come to its newest event. */
const fill = async (store: EventStore, dataDir: string): Promise<void> => {
  const logId = await openLog(store, namespace, systemIds, systemClock);
  for (let count = 0; count < 3; count += 1)
    await store.append(`${namespace}.task-${String(count)}`, [event(), event()], 'none');
  await store.append(`${namespace}.task-0`, [event()], 1);
  const newest = (await allOf(store)).at(-1);
  const state = await openState({ file: join(dataDir, 'state.db') });
  const mark = { position: newest?.position ?? '', eventId: newest?.id ?? '', logId };
  await state.saga.save(undefined, mark, { opened: [], closed: [] });
  await state.close();
};

const checkpointIn = async (dataDir: string): Promise<SagaCheckpoint | undefined> => {
  const state = await openState({ file: join(dataDir, 'state.db') });
  try {
    return await state.saga.load();
  } finally {
    await state.close();
  }
};

describe('backup and restore', () => {
  let folder: string;
  let dataDir: string;
  let elsewhere: string;
  let backup: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ledger-backup-'));
    [dataDir, elsewhere, backup] = ['data', 'elsewhere', 'backup'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(dataDir);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const configOf = (dataFolder: string, eventStore = 'embedded', ns = namespace): LedgerConfig =>
    readConfig({ LEDGER_DATA_DIR: dataFolder, LEDGER_EVENT_STORE: eventStore, LEDGER_NAMESPACE: ns });
  const never = (): Promise<never> => Promise.reject(new Error('no server is asked'));

  const withEmbedded = async <Value>(
    at: string,
    work: (store: EventStore) => Promise<Value>,
  ): Promise<Value> => {
    const store = await openEmbeddedStore({ folder: at });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };

  const backUpEmbedded = (): Promise<Manifest> =>
    withEmbedded(dataDir, async (store) => {
      await fill(store, dataDir);
      return takeBackup({ config: configOf(dataDir), openStore: never }, backup);
    });
  const restoreEmbedded = (to = elsewhere): Promise<Restored> =>
    restoreBackup({ config: configOf(to), openStore: never }, backup);

  const backUpServer = async (server: Server): Promise<Manifest> => {
    await fill(server.store, dataDir);
    return takeBackup({ config: configOf(dataDir, serverUrl), openStore: server.connect }, backup);
  };
  const restoreServer = (server: Server, to = elsewhere): Promise<Restored> =>
    restoreBackup({ config: configOf(to, serverUrl), openStore: server.connect }, backup);

  it('embedded: the same log with the same positions, and the state', async () => {
    const manifest = await backUpEmbedded();
    expect(manifest.events).toMatchObject({ kind: 'sqlite', count: 8 });
    expect(await restoreEmbedded()).toMatchObject({ events: 8, state: 'restored' });
    expect(await withEmbedded(elsewhere, allOf)).toEqual(await withEmbedded(dataDir, allOf));
    expect(await checkpointIn(elsewhere)).toEqual(await checkpointIn(dataDir));
  });

  it('a server: the same events in the same order, and the state', async () => {
    const [from, to] = [new Server(), new Server()];
    await to.store.append('foreign.stream', [event()], 'none');
    expect((await backUpServer(from)).events).toMatchObject({ kind: 'lines', count: 8 });
    expect(await restoreServer(to)).toMatchObject({ events: 8, state: 'restored' });
    expect(await idsOf(to.store)).toEqual(await idsOf(from.store));
    expect(await checkpointIn(elsewhere)).toEqual(await checkpointIn(dataDir));
  });

  it('moves a ledger to a server and back; its state begins anew there', async () => {
    await backUpEmbedded();
    const server = new Server();
    expect(await restoreServer(server)).toMatchObject({ events: 8, state: 'left-out' });
    const ids = await withEmbedded(dataDir, idsOf);
    expect(await idsOf(server.store)).toEqual(ids);
    expect(existsSync(join(elsewhere, 'state.db'))).toBe(false);

    await openState({ file: join(elsewhere, 'state.db') }).then((state) => state.close());
    const second = join(folder, 'second');
    await takeBackup({ config: configOf(elsewhere, serverUrl), openStore: server.connect }, second);
    const home = join(folder, 'home');
    expect(await restoreBackup({ config: configOf(home), openStore: never }, second)).toMatchObject({
      state: 'left-out',
    });
    expect(await withEmbedded(home, idsOf)).toEqual(ids);
  });

  it('a restore that was cut short is finished by the next one', async () => {
    const [from, to] = [new Server(), new Server()];
    await backUpServer(from);
    for (const { stream, revision, ...one } of (await allOf(from.store)).slice(0, 3))
      await to.store.append(stream, [one], revision === 0 ? 'none' : revision - 1);
    expect(await restoreServer(to)).toMatchObject({ events: 5, state: 'restored' });
    expect(await idsOf(to.store)).toEqual(await idsOf(from.store));
  });

  it('a log that went on after the backup is left as it is; the state is put back beside it', async () => {
    const server = new Server();
    await backUpServer(server);
    await server.store.append(`${namespace}.task-9`, [event()], 'none');
    const before = await idsOf(server.store);
    expect(await restoreServer(server)).toMatchObject({ events: 0, state: 'restored' });
    expect(await idsOf(server.store)).toEqual(before);
  });

  it("never mixes itself into another ledger's log", async () => {
    const [from, to] = [new Server(), new Server()];
    await backUpServer(from);
    await openLog(to.store, namespace, systemIds, systemClock);
    await expect(restoreServer(to)).rejects.toThrow('another event at 00000000000000000001');
    expect(await idsOf(to.store)).toHaveLength(1);
    expect(existsSync(join(elsewhere, 'state.db'))).toBe(false);
  });

  it('never writes over what is there: a folder in use, a file, another backup', async () => {
    await backUpEmbedded();
    await withEmbedded(elsewhere, () => expect(restoreEmbedded()).rejects.toThrow('is not empty'));
    const other = join(folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'a-file'), '');
    await expect(restoreEmbedded(other)).rejects.toThrow(`${other} is not empty (a-file)`);
    await expect(takeBackup({ config: configOf(dataDir), openStore: never }, backup)).rejects.toThrow(
      'is not empty',
    );
    expect(readdirSync(other)).toEqual(['a-file']);
  });

  it('of a folder without a ledger fails, and what it leaves is no backup', async () => {
    const config = configOf(join(folder, 'nothing'));
    await expect(takeBackup({ config, openStore: never }, backup)).rejects.toThrow();
    await expect(restoreEmbedded()).rejects.toThrow('holds no complete backup');
  });

  it('of another namespace is refused by name', async () => {
    await backUpEmbedded();
    const config = configOf(elsewhere, 'embedded', 'other');
    await expect(restoreBackup({ config, openStore: never }, backup)).rejects.toThrow(
      'is of the namespace ledger, this ledger of other',
    );
  });

  it.each(['events.db', 'state.db'])(
    'is refused when %s was changed since, and nothing is written',
    async (file) => {
      await backUpEmbedded();
      appendFileSync(join(backup, file), 'x');
      await expect(restoreEmbedded()).rejects.toThrow(`${join(backup, file)} is not what it was`);
      expect(existsSync(join(elsewhere, 'events.db'))).toBe(false);
    },
  );

  it('holds each event on a line of its own, its texts as they were stored', async () => {
    const server = new Server();
    await backUpServer(server);
    const lines = readFileSync(join(backup, 'events.ndjson'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as RecordedEvent)).toEqual(await allOf(server.store));
  });
});
