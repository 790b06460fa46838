import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type TestDatabase, type TestPostgres, usePostgres } from '#testing';
import { openState, StateUnreadableError } from '../src/index.js';
import { sagaStateContract } from './saga-state.contract.js';

const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'state-'));
const removeFolder = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true });
};

sagaStateContract('SQLite', () => {
  const folder = temporaryFolder();
  return Promise.resolve({
    open: () => openState({ file: join(folder, 'state.db') }),
    remove: () => {
      removeFolder(folder);
      return Promise.resolve();
    },
  });
});

describe('The state in PostgreSQL', () => {
  let postgres: TestPostgres;
  let database: TestDatabase;
  let namespaces = 0;
  const nextNamespace = (): string => `state${String((namespaces += 1))}`;
  beforeAll(async () => {
    postgres = await usePostgres();
    database = await postgres.database();
  }, 60_000);
  afterAll(async () => {
    await database.drop();
    await postgres.stop();
  });

  sagaStateContract('PostgreSQL', () => {
    const namespace = nextNamespace();
    return Promise.resolve({
      open: () => openState({ postgres: { url: database.url, namespace } }),
      remove: () => Promise.resolve(),
    });
  });

  it('that is new is announced, and one that is there is not', async () => {
    const begun: unknown[] = [];
    const logger = { info: (details: unknown) => begun.push(details), warn: fail, error: fail };
    const namespace = nextNamespace();
    for (const _ of [1, 2])
      await (await openState({ postgres: { url: database.url, namespace }, logger })).close();

    expect(begun).toEqual([{ namespace }]);
  });

  it('is begun once by instances that start together', async () => {
    const namespace = nextNamespace();
    const opening = [1, 2, 3].map(() => openState({ postgres: { url: database.url, namespace } }));

    const states = await Promise.all(opening);

    expect(await Promise.all(states.map(({ saga }) => saga.load()))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    for (const state of states) await state.close();
  });

  it.each<[string, string, RegExp]>([
    ['of a newer version', 'insert into SCHEMA.migrations values (99)', /is of version 99, newer than/],
    ['that is somebody else’s', 'drop table SCHEMA.migrations', /is no state of a ledger/],
  ])('%s is refused by its name, without the password', async (_what, change, message) => {
    const namespace = nextNamespace();
    const url = database.url.replace('ledger@', 'ledger:secret@');
    await (await openState({ postgres: { url, namespace } })).close();
    await database.query(change.replace('SCHEMA', `${namespace}_state`));

    const opening = openState({ postgres: { url, namespace } });

    await expect(opening).rejects.toBeInstanceOf(StateUnreadableError);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toThrow(new RegExp(`schema ${namespace}_state of postgres://127`));
    await expect(opening).rejects.not.toThrow(/secret/);
  });

  it('refuses a namespace that no schema could be called after', async () => {
    const postgres = { url: database.url, namespace: 'n'.repeat(41) };
    await expect(openState({ postgres })).rejects.toThrow(/more than 40 characters/);
  });
});

describe('A state file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = temporaryFolder();
    file = join(folder, 'state.db');
  });
  afterEach(() => {
    removeFolder(folder);
  });

  const mark = { position: '1'.padStart(20, '0'), eventId: 'event-1', logId: 'abcd1234' };

  const written = async (triggers = 0): Promise<void> => {
    const state = await openState({ file });
    const opened = Array.from({ length: triggers }, (_, index) => ({
      position: String(index).padStart(20, '0'),
      stream: `ledger.task-${String(index)}`,
      revision: 0,
    }));
    await state.saga.save(undefined, mark, { opened, closed: [] });
    await state.close();
  };

  const changed = (change: (database: Database.Database) => void): void => {
    const database = new Database(file);
    change(database);
    database.close();
  };

  const refusal = async (): Promise<StateUnreadableError> => {
    const opening = openState({ file });
    await expect(opening).rejects.toBeInstanceOf(StateUnreadableError);
    const error = await opening.catch((reason: unknown) => reason as StateUnreadableError);
    return error as StateUnreadableError;
  };

  it('that is new is announced, and one that is there is not', async () => {
    const begun: unknown[] = [];
    const logger = { info: (details: unknown) => begun.push(details), warn: fail, error: fail };
    await (await openState({ file, logger })).close();
    await (await openState({ file, logger })).close();

    expect(begun).toEqual([{ file }]);
  });

  it('that was only begun when the process died is begun again', async () => {
    writeFileSync(file, '');

    const state = await openState({ file });

    expect(await state.saga.load()).toBeUndefined();
    await state.close();
  });

  it('of a newer version is refused by its name and left as it is', async () => {
    await written();
    changed((database) => database.pragma('user_version = 2'));
    const before = readFileSync(file);

    const error = await refusal();

    expect(error.file).toBe(file);
    expect(error.message).toBe(`the state in ${file} is of version 2, newer than this program (1)`);
    expect(readFileSync(file)).toEqual(before);
  });

  it('that is another program’s database is refused by its name and left as it is', async () => {
    changed((database) => database.exec('create table notes (text text)'));
    const before = readFileSync(file);

    expect((await refusal()).message).toContain(`${file} is no state of a ledger`);
    expect(readFileSync(file)).toEqual(before);
  });

  it('that is no database at all is refused by its name and left as it is', async () => {
    const text = 'not a database, but longer than the header of one is. '.repeat(40);
    writeFileSync(file, text);

    expect((await refusal()).message).toContain(`${file} is damaged`);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('that is damaged inside is refused by its name, never begun anew', async () => {
    await written(5_000);
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 2 * 4_096, 40 * 4_096);
    writeFileSync(file, bytes);

    expect((await refusal()).message).toContain(`${file} is damaged`);
  });
});

const fail = (): void => {
  throw new Error('nothing is to be said here');
};
