import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  A2aRpc,
  al2,
  alice,
  type Certificate,
  httpRequest,
  LedgerApi,
  settled,
  useService,
} from '../support/index.js';
import { streamOf, withLog, wholeLog } from '../support/stored-log.js';
import { broad, chain, endsByStream, linesIn, storeFamily } from '../support/stored-trees.js';

const depth = 5_000;
const middle = 2_500;
const width = 100;
/** Nodes of one answer. */
const pageSize = 1_000;
/** What CancelTask promises, however much hangs below: it does not wait for the tree. */
const answerLimitMs = 1_000;
/** A sweep holds a line for each node while it runs; a leak, or a fold kept for each of them, holds more. */
const memoryLimitMiB = 700;
const readEveryMs = 20;
/** A liveness limit for a busy machine. */
const heavyLimitMs = 240_000;

describe('C28 very deep, and very broad', () => {
  const service = useService({
    environment: { LEDGER_HOT_FOLDS_MIB: '16' },
    prepare: (folder) =>
      withLog(folder, async (store) => {
        deep = await storeFamily(store, chain(depth));
        other = await storeFamily(store, chain(depth));
        wide = await storeFamily(store, broad(width));
        eventsBefore = (await wholeLog(store)).length;
      }),
  });
  const rpc = new A2aRpc(service, alice);
  const user = new LedgerApi(service, alice);
  const operator = new LedgerApi(service, al2);

  let deep: readonly string[];
  let other: readonly string[];
  let wide: readonly string[];
  let planned: readonly string[];
  let unrelated: string;
  let eventsBefore: number;

  beforeAll(async () => {
    unrelated = (await user.create()).body.taskId;
  });

  interface Swept {
    readonly certificate: Certificate;
    /** Of the certificate right after the answer. */
    readonly canceledAtOnce: number;
    /** Reads of another task that were answered while the cascade ran. */
    readonly readsMeanwhile: number;
  }

  /** CancelTask on a root, and GetTask on another task again and again until the cascade has settled. */
  const sweep = async (taskId: string): Promise<Swept> => {
    const asked = performance.now();
    const answer = await rpc.cancelTask(taskId);
    const answeredAfterMs = performance.now() - asked;
    expect(answer.result.status.state).toBe('TASK_STATE_CANCELED');
    expect(answeredAfterMs).toBeLessThan(answerLimitMs);
    const cancellationId = (await user.row(taskId)).body.cancellationId ?? '';
    const { status, counts } = (await user.certificate(cancellationId)).body;
    expect(status).toBe('running');
    let isSettled = false;
    const settling = settled(user, cancellationId).finally(() => {
      isSettled = true;
    });
    let readsMeanwhile = 0;
    while (!isSettled) {
      expect((await rpc.getTask(unrelated)).result.status.state).toBe('TASK_STATE_SUBMITTED');
      readsMeanwhile += 1;
      await delay(readEveryMs);
    }
    return { certificate: await settling, canceledAtOnce: counts.canceled ?? 0, readsMeanwhile };
  };

  const expectAllCanceled = (
    { certificate, canceledAtOnce, readsMeanwhile }: Swept,
    ids: readonly string[],
  ) => {
    expect(certificate.nodes).toHaveLength(ids.length);
    expect(new Set(certificate.nodes.map(({ taskId }) => taskId))).toEqual(new Set(ids));
    expect(certificate.counts).toMatchObject({ canceled: ids.length, alreadyTerminal: 0, lostRace: 0 });
    // Nobody ever took any of them up.
    expect(certificate.status).toBe('confirmed');
    expect(canceledAtOnce).toBeLessThan(ids.length);
    expect(readsMeanwhile).toBeGreaterThan(10);
  };

  it(
    'C28 the root of a chain of 5,000: all are cancelled, the answer does not wait, others are served meanwhile',
    async () => {
      const swept = await sweep(deep[0] ?? '');
      expectAllCanceled(swept, deep);
      const depths = swept.certificate.nodes.map((node) => node.depth);
      expect(depths).toEqual(deep.map((_, index) => index));
    },
    heavyLimitMs,
  );

  it(
    'C28 the 2,500th of another chain: only the lower half is cancelled',
    async () => {
      const swept = await sweep(other[middle] ?? '');
      expectAllCanceled(swept, other.slice(middle));
      expect((await user.row(other[middle - 1] ?? '')).body.state).toBe('TASK_STATE_SUBMITTED');
      const states = await operator.rows('state=TASK_STATE_SUBMITTED&pageSize=1');
      expect(states.body.totalSize).toBe(middle + wide.length + 1);
      const why = (await user.why(other[middle + 1] ?? '')).body;
      expect(why.length).toBeGreaterThan(1);
    },
    heavyLimitMs,
  );

  it(
    'C51 the dry run of 10,000 descendants comes in pages, its counts are complete on each, and nothing is written',
    async () => {
      const root = wide[0] ?? '';
      const first = (await user.planCancellation(root)).body;
      const second = (await user.planCancellation(root, {}, first.nextNodes)).body;
      for (const { nodes, counts } of [first, second])
        expect([nodes.length, counts.cancel]).toEqual([pageSize, wide.length]);
      planned = [...first.nodes, ...second.nodes].map(({ taskId }) => taskId);
      expect(new Set(planned).size).toBe(2 * pageSize);
      expect(await user.eventTypes(root)).not.toContain('TaskCanceled');
      expect((await user.row(planned.at(-1) ?? '')).body.state).toBe('TASK_STATE_SUBMITTED');
    },
    heavyLimitMs,
  );

  it(
    'C28 10,000 descendants: all are cancelled, and memory stays bounded',
    async () => {
      const swept = await sweep(wide[0] ?? '');
      expectAllCanceled(swept, wide);
      // In the order of the dry run.
      const nodes = swept.certificate.nodes.map(({ taskId }) => taskId);
      expect(nodes.slice(0, planned.length)).toEqual(planned);
      const page = (await user.certificate(swept.certificate.cancellationId)).body;
      expect([page.nodes.length, page.counts.canceled]).toEqual([pageSize, wide.length]);
      const metrics = (await httpRequest(`${service.url}/metrics`)).text;
      const bytes = Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]);
      expect(bytes / 2 ** 20).toBeLessThan(memoryLimitMiB);
    },
    heavyLimitMs,
  );

  it(
    'C28 the log has one end of each task and one line of each node, and the start on it had written nothing',
    async () => {
      const cancellations = await Promise.all(
        [deep[0], other[middle], wide[0]].map(
          async (id) => (await user.row(id ?? '')).body.cancellationId ?? '',
        ),
      );
      await service.kill();
      const log = await withLog(service.directory, wholeLog);
      const ends = endsByStream(log);
      const ended = [...deep, ...other.slice(middle), ...wide];
      for (const taskId of ended) expect(ends.get(streamOf(taskId))).toHaveLength(1);
      expect(ends.size).toBe(ended.length);
      const lines = cancellations.flatMap((id) => linesIn(log, id));
      expect(lines).toHaveLength(ended.length);
      expect(new Set(lines).size).toBe(ended.length);
      const first = log.findIndex(
        ({ stream, type }) => stream === streamOf(deep[0] ?? '') && type === 'TaskCanceled',
      );
      expect(log.slice(eventsBefore, first).map(({ type }) => type)).toEqual(['LogOpened', 'TaskSubmitted']);
    },
    heavyLimitMs,
  );
});
