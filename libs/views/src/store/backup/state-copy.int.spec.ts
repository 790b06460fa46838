import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SagaCheckpoint } from '#application';
import { type TestDatabase, type TestPostgres, usePostgres } from '#testing';
import { openState, type State } from '../../index.js';
import {
  copySqliteState,
  isPostgresStateEmpty,
  readPostgresState,
  type StateRow,
  writePostgresState,
} from './index.js';

const at = (number: number): string => String(number).padStart(20, '0');
const mark = (number: number): Omit<SagaCheckpoint, 'open'> => ({
  position: at(number),
  eventId: `event-${String(number)} "ö"\n`,
  logId: 'abcd1234',
});
const trigger = (number: number): SagaCheckpoint['open'][number] => ({
  position: at(number),
  stream: `ledger.task-${String(number)}`,
  revision: number,
});
const triggers = Array.from({ length: 1_200 }, (_, index) => trigger(index));

const begin = async (state: State): Promise<void> => {
  await state.saga.save(undefined, mark(1), { opened: triggers, closed: [] });
};
/** A saga at work: each step closes the trigger that the one before opened. */
const moveOn = async (state: State, from: number): Promise<void> => {
  // Nobody else would have a turn beside a file that answers at once.
  await nextTurn();
  const changes = { opened: [trigger(10_000 + from)], closed: [at(10_000 + from - 1)] };
  expect(await state.saga.save(at(from), mark(from + 1), changes)).toBe(true);
};

/** What a copy may show: a mark, and the one trigger that this very step opened beside those of the beginning. */
const expectOneMoment = (copy: SagaCheckpoint | undefined): void => {
  const step = Number(copy?.position);
  expect(copy?.eventId).toBe(mark(step).eventId);
  const expected = step === 1 ? triggers : [...triggers, trigger(10_000 + step - 1)];
  expect(copy?.open).toEqual(expected);
};

const loaded = async (state: State): Promise<SagaCheckpoint | undefined> => {
  try {
    return await state.saga.load();
  } finally {
    await state.close();
  }
};

describe('a copy of the state, SQLite', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'state-copy-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('taken while a saga moves on is the state of one moment, and opens as a state', async () => {
    const state = await openState({ file: join(folder, 'state.db') });
    await begin(state);
    let step = 1;
    let isCopying = true;
    const moving = (async () => {
      for (; isCopying; step += 1) await moveOn(state, step);
    })();
    for (const name of ['one.db', 'two.db'])
      await copySqliteState(join(folder, 'state.db'), join(folder, name));
    isCopying = false;
    await moving;
    await state.close();
    for (const name of ['one.db', 'two.db'])
      expectOneMoment(await loaded(await openState({ file: join(folder, name) })));
  });

  it('of a file that is not there fails and makes none', async () => {
    // By its code: the driver's own class of errors is one a process, and so not always the one at hand.
    await expect(copySqliteState(join(folder, 'none.db'), join(folder, 'x.db'))).rejects.toMatchObject({
      code: 'SQLITE_CANTOPEN',
    });
    expect(existsSync(join(folder, 'x.db'))).toBe(false);
  });
});

describe('a copy of the state, PostgreSQL', () => {
  let server: TestPostgres;
  const databases: TestDatabase[] = [];
  beforeAll(async () => {
    server = await usePostgres();
  });
  afterAll(async () => {
    for (const database of databases) await database.drop();
    await server.stop();
  });
  const place = async (): Promise<{ url: string; namespace: string }> => {
    const database = await server.database();
    databases.push(database);
    return { url: database.url, namespace: 'Ledger2' };
  };

  const rowsOf = async (from: { url: string; namespace: string }): Promise<StateRow[]> => {
    const rows: StateRow[] = [];
    for await (const row of readPostgresState(from)) rows.push(row);
    return rows;
  };
  async function* asRows(rows: readonly StateRow[]): AsyncGenerator<StateRow> {
    yield* rows;
  }

  it('taken while a saga moves on is the state of one moment, and is put back whole', async () => {
    const [from, to] = [await place(), await place()];
    const state = await openState({ postgres: from });
    await begin(state);
    let step = 1;
    let isCopying = true;
    const moving = (async () => {
      for (; isCopying; step += 1) await moveOn(state, step);
    })();
    const rows = await rowsOf(from);
    isCopying = false;
    await moving;
    await state.close();
    await (await openState({ postgres: to })).close();
    expect(await isPostgresStateEmpty(to)).toBe(true);
    await writePostgresState(to, asRows(rows));
    expect(await isPostgresStateEmpty(to)).toBe(false);
    expectOneMoment(await loaded(await openState({ postgres: to })));
    await expect(writePostgresState(to, asRows(rows))).rejects.toThrow('holds a state already');
  });

  it('is put back whole or not at all', async () => {
    const to = await place();
    await (await openState({ postgres: to })).close();
    const good = { table: 'triggers', row: JSON.stringify(trigger(1)) };
    await expect(writePostgresState(to, asRows([good, { table: 'others', row: '{}' }]))).rejects.toThrow(
      'the state has no table others',
    );
    expect(await isPostgresStateEmpty(to)).toBe(true);
  });

  it('of a database without a state fails; there, none stands in the way of a restore', async () => {
    const nowhere = await place();
    await expect(rowsOf(nowhere)).rejects.toThrow('there is no schema Ledger2_state');
    expect(await isPostgresStateEmpty(nowhere)).toBe(true);
  });
});
