import { setTimeout as delay } from 'node:timers/promises';
import { OutcomeUnknownError, StoreUnavailableError, type EventStore, type NewEvent } from '#event-store';
import { event, idsOf } from '../../../libs/event-store/src/contract/support.contract.js';
import { Following } from '../support/following.js';
import { ServerUnderTest, type Client } from '../support/server-under-test.js';
import { whenever } from '../support/waits.js';

const outages = 3;
const outageMilliseconds = 5_000;
const eventsPerSecond = 100;
/** Delivery goes on within this after the server's return; what the field asks for. */
const resumesWithinMilliseconds = 10_000;

/** Long outages with the timings of the service, through one client of the emulator. */
export const outageSuite = (client: Client): void => {
  let server: ServerUnderTest;
  let store: EventStore;
  let stream: string;

  beforeAll(async () => {
    server = await ServerUnderTest.startEmulator(client);
    store = await server.open();
    stream = `${server.freshRoot()}task-1`;
  });
  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  it.each([
    ['away', () => server.emulator.faults.goAway(), () => server.emulator.faults.comeBack()],
    [
      'hung',
      () => Promise.resolve(server.emulator.faults.hang()),
      () => Promise.resolve(server.emulator.faults.resume()),
    ],
  ])(
    `C38 three times %s for five seconds while events are written, through ${client}`,
    async (how, begin, end) => {
      const name = `${stream}-${how}`;
      const following = new Following(store, { from: 'start', prefix: name });
      await following.live();
      const writing = new Writing(store, name);
      for (let time = 0; time < outages; time++) {
        await following.has(following.events.length + 50);
        await begin();
        await whenever(() => store.health().behind !== undefined || !store.health().writable);
        await delay(outageMilliseconds);
        await end();
        const back = performance.now();
        await following.has(following.events.length + 1);
        expect(performance.now() - back).toBeLessThan(resumesWithinMilliseconds);
        await whenever(() => store.health().behind === undefined && store.health().writable);
      }
      const written = await writing.stop();
      await following.has(written.length);
      expect(following.ids).toEqual(idsOf(written));
      await following.leave();
    },
    120_000,
  );
};

/** One event after the other, each again with its id until it is known to be there. */
class Writing {
  readonly #written: NewEvent[] = [];
  #stopped = false;
  readonly #ended: Promise<void>;

  constructor(
    private readonly store: EventStore,
    private readonly stream: string,
  ) {
    this.#ended = this.#write();
  }

  async stop(): Promise<readonly NewEvent[]> {
    this.#stopped = true;
    await this.#ended;
    return this.#written;
  }

  async #write(): Promise<void> {
    while (!this.#stopped) {
      const one = event();
      while (!(await this.#append(one))) await delay(20);
      this.#written.push(one);
      await delay(1_000 / eventsPerSecond);
    }
  }

  /** False when it is not known to be there. */
  async #append(one: NewEvent): Promise<boolean> {
    const expected = this.#written.length === 0 ? 'none' : this.#written.length - 1;
    try {
      await this.store.append(this.stream, [one], expected);
      return true;
    } catch (error) {
      if (error instanceof StoreUnavailableError || error instanceof OutcomeUnknownError) return false;
      throw error;
    }
  }
}
