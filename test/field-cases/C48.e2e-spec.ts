import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { usePostgres } from '#testing';
import {
  alice,
  type Answer,
  branch,
  type Certificate,
  grow,
  leaves,
  LedgerApi,
  LedgerService,
  settled,
  type StoredEvent,
  workerAgent,
} from '../support/index.js';
import { runBackupCommand } from '../support/backup-command.js';
import { EventStoreServer } from '../support/event-store-server.js';
import type { Environment } from '../support/service.js';

/** Where a ledger is backed up, and where it is put back; both are gone afterwards. */
interface Deployments {
  readonly from: Environment;
  readonly to: Environment;
  readonly dispose: () => Promise<void>;
}

const embedded = (): Promise<Deployments> =>
  Promise.resolve({ from: {}, to: {}, dispose: () => Promise.resolve() });

const onServers = async (): Promise<Deployments> => {
  const servers = [new EventStoreServer(), new EventStoreServer()] as const;
  for (const server of servers) await server.start();
  const [from, to] = servers.map((server) => server.environment('ledger')) as [Environment, Environment];
  const dispose = async (): Promise<void> => {
    for (const server of servers) await server.stop();
  };
  return { from, to, dispose };
};

/** A liveness limit for a busy machine. */
const heavyLimitMs = 240_000;
/** Tasks that are made beside the backup, and what each of them holds. */
const writersAtOnce = 2;
/** Tasks that stand before it begins. */
const before = branch('P', [branch('A', leaves('A', 1)), ...leaves('B', 1, { state: 'completed' })]);

const replayOf = async (api: LedgerApi, taskId: string, revision: number): Promise<unknown> =>
  (await api.replay(taskId, `revision=${String(revision)}`)).body;

const withoutPlace = ({ events }: { readonly events: readonly StoredEvent[] }): unknown => events;

const onServersWithPostgres = async (): Promise<Deployments> => {
  const postgres = await usePostgres();
  const databases = [await postgres.database(), await postgres.database()] as const;
  const servers = await onServers();
  const dispose = async (): Promise<void> => {
    await servers.dispose();
    for (const database of databases) await database.drop();
    await postgres.stop();
  };
  return {
    from: { ...servers.from, LEDGER_VIEWS: databases[0].url },
    to: { ...servers.to, LEDGER_VIEWS: databases[1].url },
    dispose,
  };
};

const deployments: [string, () => Promise<Deployments>][] = [
  ['embedded', embedded],
  ['EventStoreDB with SQLite', onServers],
  ['EventStoreDB with PostgreSQL', onServersWithPostgres],
];

// One real server is no elsewhere for its own log.
const count = process.env.LEDGER_TEST_EVENTSTORE === undefined ? deployments.length : 1;

describe.each(deployments.slice(0, count))('C48 backup and restore, %s', (_, open) => {
  it(
    'C48 a backup taken while the ledger is written to starts as a ledger, and its tasks are those of the log',
    async () => {
      const { from, to, dispose } = await open();
      const folder = await mkdtemp(join(tmpdir(), 'ledger-backup-'));
      const backup = join(folder, 'backup');
      const prepare = async (directory: string): Promise<void> => {
        await runBackupCommand('restore', backup, { ...to, LEDGER_DATA_DIR: directory });
      };
      const service = new LedgerService({ environment: from });
      const restored = new LedgerService({ environment: to, prepare });
      try {
        await service.start();
        const user = new LedgerApi(service, alice);
        const agent = new LedgerApi(service, workerAgent);
        const tree = await grow(user, agent, before);
        const { cancellationId } = (await user.cancel(tree.root, { reason: 'enough' })).body;
        const certificate = await settled(user, cancellationId);

        const made: string[] = [];
        let isCopying = true;
        const writer = async (): Promise<void> => {
          while (isCopying) {
            const { taskId } = (await user.create({ contextId: 'beside' })).body;
            made.push(taskId);
            await agent.emit(taskId, 'working', 'under way');
          }
        };
        const writing = Array.from({ length: writersAtOnce }, writer);
        const told = await runBackupCommand('backup', backup, {
          ...from,
          LEDGER_DATA_DIR: service.directory,
        });
        isCopying = false;
        await Promise.all(writing);
        expect(told).toContain('complete and read back');

        await restored.start();
        const reader = new LedgerApi(restored, alice);
        for (const taskId of tree.taskIds) {
          const { revision } = (await user.row(taskId)).body;
          expect((await reader.row(taskId)).body).toEqual((await user.row(taskId)).body);
          expect(withoutPlace((await reader.events(taskId)).body)).toEqual(
            withoutPlace((await user.events(taskId)).body),
          );
          expect(await replayOf(reader, taskId, revision)).toEqual(await replayOf(user, taskId, revision));
        }
        const copied: Answer<Certificate> = await reader.certificate(cancellationId);
        expect(copied.body).toEqual(certificate);

        const { rows, totalSize } = (await reader.rows('contextId=beside&pageSize=100')).body;
        expect(totalSize).toBeLessThan(made.length);
        for (const { taskId, revision } of rows) {
          const { events } = (await user.events(taskId)).body;
          expect((await reader.events(taskId)).body.events).toEqual(events.slice(0, revision + 1));
        }
        // It goes on as a ledger.
        const next = await reader.create({ parent: { taskId: tree.id('B1') } });
        expect(next.status).toBe(409);
        expect((await reader.create()).status).toBe(201);
      } finally {
        await restored.dispose();
        await service.dispose();
        await dispose();
        await rm(folder, { recursive: true, force: true });
      }
    },
    heavyLimitMs,
  );
});
