import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type EventStoreServer,
  freshNamespace,
  useEventStoreServer,
} from '../../../support/event-store-server.js';
import { FrameLog } from '../../../support/frame-log.js';
import {
  A2aRpc,
  al2,
  alice,
  type Environment,
  eventually,
  httpRequest,
  inParallel,
  LedgerApi,
  LedgerService,
  mismatches,
  userMessage,
  workerAgent,
} from '../../../support/index.js';
import { Severable, targetOf } from '../../../support/severable.js';
import { SteadyWriter } from '../../../support/steady-writer.js';

const outages = 3;
const outageMs = 5_000;
/** The promise: after every outage delivery resumes by then. */
const resumeLimitMs = 10_000;
/** A liveness limit for a busy machine. */
const heavyLimitMs = 240_000;

/** A service whose way to its event store can be cut. */
const useCuttable = (): { readonly service: LedgerService; readonly way: () => Severable } => {
  const server: EventStoreServer = useEventStoreServer();
  const namespace = freshNamespace();
  let way: Severable | undefined;
  const theWay = (): Severable => {
    if (way === undefined) throw new Error('there is no way yet');
    return way;
  };
  const environment = (): Environment => {
    const { LEDGER_EVENT_STORE: url = '', ...more } = server.environment(namespace);
    return { ...more, LEDGER_EVENT_STORE: theWay().through(url) };
  };
  const service = new LedgerService({ environment });
  beforeAll(async () => {
    way = new Severable(targetOf(server.url()));
    await way.mend();
    await service.start();
  }, heavyLimitMs);
  afterAll(async () => {
    await service.dispose();
    await way?.cut();
  });
  return { service, way: theWay };
};

interface Readiness {
  readonly reasons: readonly string[];
}

describe('C38 the event store goes away three times, for five seconds each', () => {
  const { service, way } = useCuttable();
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const rpc = new A2aRpc(service, alice);

  const reasons = async (): Promise<readonly string[]> =>
    ((await httpRequest(`${service.url}/readyz`)).json as Readiness).reasons;

  let writer: SteadyWriter | undefined;
  afterEach(() => {
    writer?.abandon();
  });

  const unready = (): Promise<unknown> =>
    eventually('a service that says what is away', async () =>
      (await reasons()).some((reason) => reason.startsWith('the event store takes no appends'))
        ? true
        : undefined,
    );

  it(
    'C38 reads go on and say that they are stale, writes are 503, streams stay open and miss nothing',
    async () => {
      const taskIds = await inParallel(5, 5, async () => (await user.create()).body.taskId);
      const [first = ''] = taskIds;
      const cold = (await user.create({ metadata: { kept: 'cold' } })).body;
      const feed = new FrameLog(await agent.feed('types=MessageRecorded&from=end'));
      const watched = new FrameLog(await rpc.subscribe(first));
      const steady = new SteadyWriter(user, taskIds);
      writer = steady;
      steady.start();
      await feed.holds('"w20"');

      for (let outage = 0; outage < outages; outage += 1) {
        await way().cut();
        const over = delay(outageMs);
        await unready();
        const [write, read, rows] = await Promise.all([
          user.create(),
          user.row(cold.taskId),
          user.rows('pageSize=10'),
        ]);
        expect([write.status, write.headers.get('retry-after')]).toEqual([503, '1']);
        for (const answer of [read, rows])
          expect([answer.status, answer.headers.get('ledger-stale')]).toEqual([200, 'true']);
        expect(read.body).toEqual(cold);
        await over;
        await way().mend();
        const messageId = `after-${String(outage)}`;
        const marked = async (): Promise<true | undefined> =>
          (await user.message(first, userMessage('back', { messageId }))).status === 200 ? true : undefined;
        await eventually('a write that is accepted', marked, resumeLimitMs);
        await feed.holds(`"${messageId}"`, resumeLimitMs);
      }

      await steady.stop();
      expect(steady.unexpected).toEqual([]);
      await feed.holds(`"${steady.accepted.at(-1) ?? ''}"`);
      expect([feed.closed, watched.closed]).toEqual([false, false]);

      await agent.transition(first, { to: 'completed' });
      await watched.holds('TASK_STATE_COMPLETED');
      const told = feed.frames
        .map(({ data }) => /"messageId":"(w\d+)"/.exec(data)?.[1])
        .filter((id) => id !== undefined);
      await eventually('all that was accepted', () =>
        Promise.resolve(feed.frames.length >= steady.accepted.length + outages ? true : undefined),
      );
      expect([...told].sort()).toEqual([...steady.accepted].sort());
      const positions = feed.frames.map(({ id }) => id ?? '');
      expect(positions).toEqual([...positions].sort());
      await eventually('a service that is ready', async () =>
        (await reasons()).length === 0 ? true : undefined,
      );
      expect(await mismatches(new LedgerApi(service, al2))).toEqual([]);
      for (const stream of [feed, watched]) stream.destroy();
    },
    heavyLimitMs,
  );
});
