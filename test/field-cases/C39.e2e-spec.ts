import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { filePart, sizes } from '../acceptance/suites/sizes.js';
import {
  A2aRpc,
  alice,
  artifact,
  isConnectionLost,
  LedgerApi,
  useService,
  workerAgent,
} from '../support/index.js';
import { storedEvent, streamOf, submitted, withLog } from '../support/stored-log.js';

const chunks = 60_000;
const chunksInAnAppend = 1_000;
const at = '2026-03-01T10:00:00.000Z';

describe('C39 too big is refused before anything is stored; too many is not slow', () => {
  const service = useService();
  const rpc = new A2aRpc(service, alice);
  const agent = new LedgerApi(service, workerAgent);

  sizes(service);

  it('C39 a body of 20 MB is refused while it is still coming, and stores nothing', async () => {
    const { id } = await rpc.newTask();
    const body = { artifact: { artifactId: 'file', parts: [filePart(15_000_000)] } };
    // A server that stops reading may be noticed as a broken pipe before its answer is.
    const outcome = await agent.record(id, body).then(
      ({ status }) => status,
      (error: unknown) => (isConnectionLost(error) ? 'connection closed' : 'fault'),
    );
    expect([413, 'connection closed']).toContain(outcome);
    expect(await agent.eventTypes(id)).toEqual(['TaskSubmitted']);
  });

  it('C39 a task of 60,000 chunks is read and written without reading it all again', async () => {
    const id = randomUUID();
    await service.kill();
    await withLog(service.directory, async (store) => {
      const open = storedEvent(id, submitted(id, at, 'long'));
      let { revision } = await store.append(streamOf(id), [open], 'none');
      for (let done = 0; done < chunks; done += chunksInAnAppend) {
        const batch = Array.from({ length: chunksInAnAppend }, (_, index) => chunkEvent(id, done + index));
        ({ revision } = await store.append(streamOf(id), batch, revision));
      }
    });
    await service.start();

    const warm = (await rpc.getTask(id, { historyLength: 5 })).result;
    expect(warm.artifacts?.[0]?.parts).toHaveLength(chunks);
    const before = Date.now();
    const again = await rpc.getTask(id, { historyLength: 5 });
    const took = Date.now() - before;
    expect(again.result.artifacts?.[0]?.parts.length).toBe(chunks);
    // The case states 500 ms on an idle machine; a liveness limit here.
    expect(took).toBeLessThan(2_000);
    const appendedBefore = Date.now();
    for (let index = 0; index < 20; index++)
      expect((await agent.emit(id, 'working', `still ${String(index)}`)).status).toBe(200);
    expect(Date.now() - appendedBefore).toBeLessThan(2_000);
  });

  const chunkEvent = (id: string, index: number): ReturnType<typeof storedEvent> =>
    storedEvent(id, {
      type: 'ArtifactRecorded',
      data: {
        at,
        artifactId: 'long',
        append: index > 0,
        lastChunk: false,
        content: { enc: 'none', body: { artifact: artifact('long', [String(index)]) } },
      },
    });
});
