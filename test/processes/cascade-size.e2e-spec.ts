import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { A2aRpc, al2, httpRequest, LedgerApi, useService } from '../support/index.js';
import { withLog } from '../support/stored-log.js';
import { LogFile, plantTree, settledCertificate, taskIdAt, wideTree } from './support/index.js';

const descendants = 10_000;
const answerMsMax = 1_000;
/**
 * Resident memory that a cascade may add at its peak: the folds of its tasks where they were not in memory, a line a
 * node, and what the collector leaves lying about. About 40 are seen.
 */
const growthMiBMax = 128;
const lookEveryMs = 25;
/** A liveness limit for a busy machine. */
const heavyLimitMs = 300_000;

describe('a large tree', () => {
  const service = useService();
  const rpc = new A2aRpc(service, al2);
  const operator = new LedgerApi(service, al2);
  const log = new LogFile(service);

  beforeAll(async () => {
    await service.terminate();
    await withLog(service.directory, async (store) => {
      await plantTree(store, 'small', wideTree(10, 5));
      await plantTree(store, 'wide', wideTree(descendants));
    });
    await service.start();
    await cancelWhole('small');
  }, heavyLimitMs);

  const residentMiB = async (): Promise<number> => {
    const { text } = await httpRequest(`${service.url}/metrics`);
    const bytes = /^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1];
    return Number(bytes) / 2 ** 20;
  };

  /** CancelTask on the root, and the certificate when it has settled. */
  const cancelWhole = async (tree: string) => {
    const before = log.newest();
    const begun = performance.now();
    const task = (await rpc.cancelTask(taskIdAt(tree, 0))).result;
    const answeredMs = performance.now() - begun;
    expect(task.status.state).toBe('TASK_STATE_CANCELED');
    const cancellationId = log.since(before)[0]?.data.cancellationId as string;
    return { answeredMs, certificate: await settledCertificate(operator, cancellationId) };
  };

  /** The most memory that was resident while something went on. */
  const peakMiB = async <Value>(work: Promise<Value>): Promise<{ value: Value; peak: number }> => {
    let peak = 0;
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    while (!isDone) {
      peak = Math.max(peak, await residentMiB());
      await delay(lookEveryMs);
    }
    return { value: await done, peak };
  };

  it(
    `${String(descendants)} descendants: CancelTask answers within a second, all of them end, memory stays bounded`,
    async () => {
      const before = await residentMiB();
      const { value, peak } = await peakMiB(cancelWhole('wide'));
      expect(value.certificate.counts).toMatchObject({ canceled: descendants + 1 });
      expect(value.certificate.nodes).toHaveLength(descendants + 1);
      expect(value.answeredMs).toBeLessThan(answerMsMax);
      expect(peak - before).toBeLessThan(growthMiBMax);
    },
    heavyLimitMs,
  );
});
