import type { EventStore, NewEvent, RecordedEvent } from '../port.js';
import {
  event,
  follow,
  idsOf,
  messagesOf,
  positionsOf,
  someEvents,
  subjectOf,
  untilLive,
  wholeLog,
} from './support.contract.js';
import type { ContractVolume, OpenDurableStore, OpenStoreUnderTest } from './support.contract.js';

const stream = 'test.task-1';
const prefix = 'test.';

export const subscriptionContract = (
  open: OpenStoreUnderTest,
  { busy: count, byWriter, unread, earlier }: ContractVolume,
): void => {
  describe('a subscription with a writer running', () => {
    const subject = subjectOf(open);

    it('from the start brings everything: log order, no gap, no event twice', async () => {
      await subject.store.append('test.before', someEvents(earlier), 'none');
      const writing = writeBusily(subject.store, count);
      const events = await follow(
        subject.store,
        { from: 'start', prefix, batchSize: 64 },
        (all) => all.length >= earlier + count,
      );
      await writing;
      expect(events).toEqual(await wholeLog(subject.store, prefix));
    });

    it('from a position brings what stands after it', async () => {
      await subject.store.append('test.before', someEvents(earlier), 'none');
      const before = await wholeLog(subject.store, prefix);
      const writing = writeBusily(subject.store, count);
      const from = before[49]!.position;
      const enough = earlier - 50 + count;
      const events = await follow(subject.store, { from, prefix }, (all) => all.length >= enough);
      await writing;
      expect(events).toEqual((await wholeLog(subject.store, prefix)).slice(50));
    });

    it('from the end brings what is appended after the call, and nothing that was acknowledged before', async () => {
      await subject.store.append('test.before', someEvents(earlier), 'none');
      const messages = messagesOf(subject.store, { from: 'end', prefix });
      const writing = writeBusily(subject.store, count);
      const events = await take(messages, count);
      await writing;
      expect(events).toEqual((await wholeLog(subject.store, prefix)).slice(earlier));
    });

    it('serves many at once, each from its own place and at its own pace', async () => {
      await subject.store.append('test.before', someEvents(100), 'none');
      const [, second] = await wholeLog(subject.store, prefix);
      const writing = writeBusily(subject.store, count);
      const [all, rest, slow] = await Promise.all([
        follow(subject.store, { from: 'start', prefix }, (events) => events.length >= 100 + count),
        follow(
          subject.store,
          { from: second!.position, prefix, batchSize: 7 },
          (events) => events.length >= 98 + count,
        ),
        follow(
          subject.store,
          { from: 'start', prefix, batchSize: 1 },
          (events) => events.length >= 100 + count,
        ),
      ]);
      await writing;
      expect(positionsOf(rest)).toEqual(positionsOf(all.slice(2)));
      expect(positionsOf(slow)).toEqual(positionsOf(all));
    });

    it('C37 brings every committed event once, whatever was refused in between', async () => {
      const writers = Array.from({ length: 8 }, (_, index) =>
        writeWithRefusals(subject.store, index, byWriter),
      );
      const events = await follow(
        subject.store,
        { from: 'start', prefix },
        (all) => all.length >= 8 * byWriter,
      );
      const written = (await Promise.all(writers)).flat();
      expect(new Set(idsOf(events))).toEqual(new Set(idsOf(written)));
      expect(events).toEqual(await wholeLog(subject.store, prefix));
      const afterwards = await subject.store.append('test.afterwards', [event()], 'none');
      const [next] = await follow(
        subject.store,
        { from: events.at(-1)!.position, prefix },
        (all) => all.length > 0,
      );
      expect(next?.position).toBe(afterwards.position);
    });
  });

  describe('a subscription', () => {
    const subject = subjectOf(open);

    it('is live at once on an empty log', async () => {
      const messages = messagesOf(subject.store, { from: 'start', prefix });
      expect(await messages.next()).toEqual({ done: false, value: { kind: 'live' } });
      await messages.return?.();
    });

    it('is live when everything that was there has been delivered', async () => {
      await subject.store.append(stream, someEvents(25), 'none');
      const messages = messagesOf(subject.store, { from: 'start', prefix, batchSize: 10 });
      expect(await untilLive(messages)).toHaveLength(25);
      const appended = await subject.store.append(stream, [event()], 24);
      expect((await take(messages, 1)).map(({ position }) => position)).toEqual([appended.position]);
      await messages.return?.();
    });

    it('brings only what is under its prefix', async () => {
      for (const name of ['test.a', 'other.a', 'tes', 'test.b', 'TEST.c', 'other.test.d'])
        await subject.store.append(name, someEvents(3), 'none');
      const events = await follow(subject.store, { from: 'start', prefix }, (_, live) => live);
      expect([...new Set(events.map((one) => one.stream))]).toEqual(['test.a', 'test.b']);
      const everything = await follow(subject.store, { from: 'start', prefix: '' }, (_, live) => live);
      expect(everything).toHaveLength(18);
    });

    it('is live although all that is written is foreign', async () => {
      const messages = messagesOf(subject.store, { from: 'start', prefix });
      await untilLive(messages);
      const next = take(messages, 1);
      await subject.store.append('other.task-1', someEvents(10), 'none');
      const { position } = await subject.store.append(stream, [event()], 'none');
      expect(positionsOf(await next)).toEqual([position]);
      await messages.return?.();
    });

    it('waits for its consumer, who then gets all of it in messages of the size asked for', async () => {
      const messages = messagesOf(subject.store, { from: 'start', prefix, batchSize: 10 });
      await untilLive(messages);
      await writeBusily(subject.store, unread);
      const received: RecordedEvent[] = [];
      const sizes: number[] = [];
      while (received.length < unread) {
        const events = await take(messages, 1);
        sizes.push(events.length);
        received.push(...events);
      }
      expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
      expect(received).toEqual(await wholeLog(subject.store, prefix));
      await messages.return?.();
    });

    it('shows what a read shows', async () => {
      await subject.store.append(stream, [event('☃ 𝄞'), { ...event(), data: 'no json' }], 'none');
      const events = await follow(subject.store, { from: 'start', prefix }, (_, live) => live);
      expect(events).toEqual(await subject.store.readStream(stream, { limit: 10 }));
    });

    it('begins anew with each iteration', async () => {
      await subject.store.append(stream, someEvents(3), 'none');
      const subscription = subject.store.subscribe({ from: 'start', prefix });
      for (let iteration = 0; iteration < 2; iteration++) {
        const first = await subscription[Symbol.asyncIterator]().next();
        expect(first.value).toMatchObject({ kind: 'events' });
      }
    });
  });

  describe('the end of a subscription', () => {
    const subject = subjectOf(open);
    const finished = { done: true, value: undefined };

    it('comes with the signal, without an error, while it waits', async () => {
      const ending = new AbortController();
      const messages = messagesOf(subject.store, { from: 'start', prefix, signal: ending.signal });
      await untilLive(messages);
      const next = messages.next();
      ending.abort();
      expect(await next).toEqual(finished);
      expect(await messages.next()).toEqual(finished);
    });

    it('comes at once when the signal has been given before', async () => {
      await subject.store.append(stream, someEvents(1), 'none');
      const messages = messagesOf(subject.store, { from: 'start', prefix, signal: AbortSignal.abort() });
      expect(await messages.next()).toEqual(finished);
    });

    it('comes when its consumer leaves, while it waits', async () => {
      const messages = messagesOf(subject.store, { from: 'start', prefix });
      await untilLive(messages);
      const next = messages.next();
      await messages.return?.();
      expect(await next).toEqual(finished);
    });

    it('comes with the close of the store, without an error', async () => {
      const messages = messagesOf(subject.store, { from: 'start', prefix });
      await untilLive(messages);
      const next = messages.next();
      await subject.store.close();
      expect(await next).toEqual(finished);
    });
  });

  describe('a subscription taken up again', () => {
    const subject = subjectOf(open);

    it('C38 goes on after the last event that was handled, whatever was fetched', async () => {
      await subject.store.append(stream, someEvents(20), 'none');
      const handled: RecordedEvent[] = [];
      const handle = async (): Promise<'live' | 'failed'> => {
        const from = handled.at(-1)?.position ?? 'start';
        for await (const message of subject.store.subscribe({ from, prefix, batchSize: 5 })) {
          if (message.kind === 'live') break;
          handled.push(...message.events.slice(0, 2));
          if (message.events.length > 2) return 'failed'; // The third of the batch threw.
        }
        return 'live';
      };
      const runs: string[] = [];
      while (runs.at(-1) !== 'live' && runs.length < 20) runs.push(await handle());
      // How much a message holds is the store's business; once it held more than was handled.
      expect(runs).toContain('failed');
      expect(runs.at(-1)).toBe('live');
      expect(positionsOf(handled)).toEqual(positionsOf(await wholeLog(subject.store, prefix)));
    });

    it('C38 misses nothing that was written while nobody followed', async () => {
      await subject.store.append(stream, someEvents(5), 'none');
      const before = await follow(subject.store, { from: 'start', prefix }, (_, live) => live);
      await subject.store.append(stream, someEvents(5), 4);
      await subject.store.append('test.task-2', someEvents(5), 'none');
      const from = before.at(-1)!.position;
      const after = await follow(subject.store, { from, prefix }, (_, live) => live);
      expect([...before, ...after]).toEqual(await wholeLog(subject.store, prefix));
    });
  });
};

/** For adapters whose events outlive the process. */
export const durabilityContract = (open: OpenDurableStore): void => {
  describe('a store opened again', () => {
    const subject = subjectOf(open);

    it('C38 three times over: what was acknowledged is there, and a consumer goes on where it was', async () => {
      let store = subject.store;
      const handled: RecordedEvent[] = [];
      const acknowledged: string[] = [];
      for (let round = 0; round < 3; round++) {
        acknowledged.push(...idsOf(await writeWithRefusals(store, round, 25)));
        const from = handled.at(-1)?.position ?? 'start';
        handled.push(...(await follow(store, { from, prefix, batchSize: 7 }, (all) => all.length >= 20)));
        store = await subject.reopen();
      }
      const from = handled.at(-1)!.position;
      handled.push(...(await follow(store, { from, prefix }, (_, live) => live)));
      expect(idsOf(handled)).toEqual(acknowledged);
      expect(await store.head(prefix)).toBe(handled.at(-1)?.position);
    });
  });
};

/** The next `count` events of a subscription. */
const take = async (messages: ReturnType<typeof messagesOf>, count: number): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  while (events.length < count) {
    const next = await messages.next();
    if (next.done === true) break;
    if (next.value.kind === 'events') events.push(...next.value.events);
  }
  return events;
};

/** `count` events over 40 streams of ours, up to 40 appends at once, and foreign ones between. */
const writeBusily = async (store: EventStore, count: number): Promise<void> => {
  const streams = 40;
  await Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      for (let revision = 0; revision < count / streams; revision++) {
        const expected = revision === 0 ? 'none' : revision - 1;
        await store.append(`test.busy-${String(index)}`, [event()], expected);
        if (revision % 5 === 0) await store.append(`other.busy-${String(index)}`, [event()], 'any');
      }
    }),
  );
};

/** A writer of one stream, each of whose appends goes along with one that is refused. Answers what was written. */
const writeWithRefusals = async (store: EventStore, writer: number, count: number): Promise<NewEvent[]> => {
  const name = `test.writer-${String(writer)}`;
  const written: NewEvent[] = [];
  for (let revision = 0; revision < count; revision++) {
    const one = event();
    const [taken, refused] = await Promise.allSettled([
      store.append(name, [one], revision === 0 ? 'none' : revision - 1),
      store.append(name, someEvents(2), revision + 7),
    ]);
    expect([taken.status, refused.status]).toEqual(['fulfilled', 'rejected']);
    written.push(one);
  }
  return written;
};
