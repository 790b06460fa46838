import { once } from 'node:events';
import type { Candidacy, Leadership } from '#application';
import { type TestDatabase, type TestPostgres, usePostgres } from '#testing';
import { openPostgresLeadership, type LeadershipTimings } from '../src/store/postgres/leadership.js';
import { Wire } from './wire.js';

/** Short, so that a test does not wait; in these proportions to each other as in earnest. */
const timings: LeadershipTimings = {
  connectMs: 5_000,
  answerMs: 1_000,
  idleMs: 3_000,
  askMs: 50,
  proveMs: 50,
};

/** Says when one of its terms begins and ends, and which they were. */
class Candidate {
  terms = 0;
  leading = 0;
  readonly candidacy: Candidacy;
  #changed: () => void = () => undefined;

  constructor(leadership: Leadership, running: { now: number; most: number }) {
    this.candidacy = leadership.stand('projector', async (signal) => {
      this.terms += 1;
      this.leading += 1;
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      this.#changed();
      if (!signal.aborted) await once(signal, 'abort');
      this.leading -= 1;
      running.now -= 1;
      this.#changed();
    });
  }

  async until(holds: (candidate: Candidate) => boolean): Promise<void> {
    while (!holds(this)) await new Promise<void>((resolve) => (this.#changed = resolve));
  }
}

describe('Leadership by advisory locks of PostgreSQL', () => {
  let postgres: TestPostgres;
  let database: TestDatabase;
  let opened: Leadership[];
  let running: { now: number; most: number };
  beforeAll(async () => {
    postgres = await usePostgres();
    database = await postgres.database();
  }, 60_000);
  beforeEach(() => {
    opened = [];
    running = { now: 0, most: 0 };
  });
  afterEach(() => Promise.all(opened.map((leadership) => leadership.close())));
  afterAll(async () => {
    await database.drop();
    await postgres.stop();
  });

  const instance = (url = database.url, namespace = 'ledger'): Leadership => {
    const leadership = openPostgresLeadership({ connection: { connectionString: url }, namespace, timings });
    opened.push(leadership);
    return leadership;
  };
  const candidate = (leadership = instance()): Candidate => new Candidate(leadership, running);
  const endConnections = () =>
    database.query(
      `select pg_terminate_backend(locks.pid) from pg_locks as locks
       join pg_database as here on here.oid = locks.database
       where here.datname = current_database() and locks.locktype = 'advisory' and locks.granted`,
    );

  it('lets one of two candidates lead, and the other one at once when the first one closes', async () => {
    const first = candidate();
    await first.until(({ leading }) => leading === 1);
    const second = candidate();
    expect([first.candidacy.standing, second.candidacy.standing]).toEqual(['leading', 'standing-by']);
    await first.candidacy.close();
    expect(first.candidacy.standing).toBe('standing-by');
    await second.until(({ leading }) => leading === 1);
    expect(second.candidacy.standing).toBe('leading');
    expect(running.most).toBe(1);
  });

  it('passes to the other one when the connection of the first is lost, and ends what that one led', async () => {
    const first = candidate();
    await first.until(({ leading }) => leading === 1);
    const second = candidate();
    await endConnections();
    await first.until(({ leading }) => leading === 0);
    const leads = await Promise.race([
      first.until(({ terms }) => terms === 2).then(() => first),
      second.until(({ terms }) => terms === 1).then(() => second),
    ]);
    expect(leads.candidacy.standing).toBe('leading');
  });

  it('is lost where the network falls silent, and passes to one who can be heard', async () => {
    const wire = new Wire();
    const first = candidate(instance(await wire.to(database.url)));
    await first.until(({ leading }) => leading === 1);
    const second = candidate();
    wire.fallSilent();
    await first.until(({ leading }) => leading === 0);
    await second.until(({ leading }) => leading === 1);
    expect(first.candidacy.standing).toBe('standing-by');
    wire.close();
  });

  it('runs again what ended by itself, or failed, while nobody else leads', async () => {
    let terms = 0;
    let enough: () => void = () => undefined;
    const led = new Promise<void>((resolve) => (enough = resolve));
    instance().stand('saga', async () => {
      terms += 1;
      if (terms === 3) enough();
      await Promise.resolve();
      if (terms === 2) throw new Error('once');
    });
    await led;
    expect(terms).toBeGreaterThanOrEqual(3);
  });

  it('is of one consumer of one namespace: others lead beside it', async () => {
    const first = candidate();
    const elsewhere = candidate(instance(database.url, 'other'));
    let lead: () => void = () => undefined;
    const led = new Promise<void>((resolve) => (lead = resolve));
    const standing = instance().stand('timers', async (signal) => {
      lead();
      await once(signal, 'abort');
    });
    await first.until(({ leading }) => leading === 1);
    await elsewhere.until(({ leading }) => leading === 1);
    await led;
    expect(standing.standing).toBe('leading');
  });

  it('stands by while there is no database, and closes all the same', async () => {
    const nobody = candidate(instance('postgres://nobody@127.0.0.1:1/none'));
    expect(nobody.candidacy.standing).toBe('standing-by');
    await nobody.candidacy.close();
    expect(nobody.terms).toBe(0);
  });
});
