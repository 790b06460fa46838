import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NewEvent } from '../../port.js';
import { AppendQueue } from './append-queue.js';
import {
  batchAppendsMax,
  batchBytesMax,
  batchesInFlightMax,
  queueAppendsMax,
  queueBytesMax,
} from './limits.js';
import type { AppendOutcome, AppendRequest, CommittedMessage } from './messages.js';
import { flattenOutcomes } from './messages.js';

const request = (name: number | string, data = '{}'): AppendRequest => {
  const event: NewEvent = { id: 'i', type: 't', data, metadata: '{}' };
  return { stream: `test.${String(name)}`, expected: 'none', events: [event] };
};

const requests = (count: number): AppendRequest[] =>
  Array.from({ length: count }, (_, index) => request(index));

const answered = (outcomes: readonly AppendOutcome[]): CommittedMessage => ({
  kind: 'committed',
  batches: 1,
  outcomes: flattenOutcomes(outcomes),
  created: 0,
  milliseconds: 0,
  trouble: null,
});

const written = (batch: readonly AppendRequest[]): CommittedMessage =>
  answered(batch.map((_, index) => ({ kind: 'written', revision: 0, position: index + 1 })));

/** A queue whose batches are kept until the test answers them. */
const heldQueue = (): { queue: AppendQueue; sent: (readonly AppendRequest[])[] } => {
  const sent: (readonly AppendRequest[])[] = [];
  return { queue: new AppendQueue((batch) => sent.push(batch)), sent };
};

const sizes = (sent: readonly (readonly unknown[])[]): number[] => sent.map(({ length }) => length);

describe('the queue of appends', () => {
  it('sends what has arrived in one turn as one batch', async () => {
    const { queue, sent } = heldQueue();
    const appends = requests(5).map((one) => queue.append(one));
    await nextTurn();
    await nextTurn();
    expect(sent).toEqual([requests(5)]);
    queue.settle(written(sent[0]!));
    expect(await Promise.all(appends)).toHaveLength(5);
  });

  it('has no more batches under way than its limit; what comes meanwhile gathers', async () => {
    const { queue, sent } = heldQueue();
    const appends: Promise<unknown>[] = [];
    for (let turn = 0; turn < batchesInFlightMax + 3; turn++) {
      appends.push(queue.append(request(turn)));
      await nextTurn();
    }
    expect(sizes(sent)).toEqual(Array(batchesInFlightMax).fill(1));
    queue.settle(written(sent[0]!));
    await nextTurn();
    expect(sizes(sent.slice(batchesInFlightMax))).toEqual([3]);
    for (const batch of sent.slice(1)) queue.settle(written(batch));
    expect(await Promise.all(appends)).toHaveLength(batchesInFlightMax + 3);
  });

  it('takes one answer for several batches that were committed together', async () => {
    const { queue, sent } = heldQueue();
    const first = queue.append(request('first'));
    await nextTurn();
    const second = queue.append(request('second'));
    await nextTurn();
    expect(sizes(sent)).toEqual([1, 1]);
    const taken = queue.settle({ ...written(sent.flat()), batches: 2 });
    expect(taken).toHaveLength(2);
    expect(await Promise.all([first, second])).toMatchObject([
      { position: '00000000000000000001' },
      { position: '00000000000000000002' },
    ]);
  });

  it('answers each append by its own outcome', async () => {
    const { queue } = heldQueue();
    const appends = requests(5).map((one) => queue.append(one));
    const results = Promise.allSettled(appends);
    await nextTurn();
    const taken = queue.settle(
      answered([
        { kind: 'written', revision: 4, position: 9 },
        { kind: 'repeated', revision: 2, position: 3 },
        { kind: 'conflict', actual: 'none' },
        { kind: 'refused', reason: 'full' },
        { kind: 'unknown', reason: 'torn' },
      ]),
    );
    expect(taken).toMatchObject([{ request: { stream: 'test.0' }, revision: 4, position: 9 }]);
    expect(await results).toMatchObject([
      { value: { revision: 4, position: '00000000000000000009' } },
      { value: { revision: 2, position: '00000000000000000003' } },
      { reason: { code: 'wrong-expected-revision', stream: 'test.2', actual: 'none' } },
      { reason: { code: 'store-unavailable', message: 'full' } },
      { reason: { code: 'outcome-unknown', message: 'torn' } },
    ]);
  });

  it('keeps a batch within its limits, but always takes one', async () => {
    const { queue, sent } = heldQueue();
    const large = 'x'.repeat(batchBytesMax / 2);
    for (const one of [request(1, large), request(2, large), request(3)]) void queue.append(one);
    await nextTurn();
    await nextTurn();
    expect(sizes(sent)).toEqual([1, 2]);
    const many = heldQueue();
    for (const one of requests(batchAppendsMax + 1)) void many.queue.append(one);
    await nextTurn();
    expect(sizes(many.sent)[0]).toBe(batchAppendsMax);
  });

  it('refuses what goes beyond its limits in number or size', async () => {
    const unavailable = { code: 'store-unavailable' };
    const { queue } = heldQueue();
    for (const one of requests(queueAppendsMax)) void queue.append(one);
    await expect(queue.append(request('one more'))).rejects.toMatchObject(unavailable);
    const small = heldQueue().queue;
    void small.append(request(1, 'x'.repeat(queueBytesMax / 2)));
    await expect(small.append(request(2, 'x'.repeat(queueBytesMax / 2)))).rejects.toMatchObject(unavailable);
  });

  it('C36 tells an unknown outcome when the commit thread is lost; what waits is sent to the next one', async () => {
    const { queue, sent } = heldQueue();
    const lost = queue.append(request('lost'));
    await nextTurn();
    queue.suspend('it ended');
    await expect(lost).rejects.toMatchObject({ code: 'outcome-unknown' });
    const waiting = queue.append(request('waiting'));
    await nextTurn();
    expect(sizes(sent)).toEqual([1]);
    queue.resume();
    await nextTurn();
    queue.settle(written(sent[1]!));
    expect(await waiting).toEqual({ revision: 0, position: '00000000000000000001' });
  });

  it('refuses what waits when the next commit thread does not come up either', async () => {
    const { queue } = heldQueue();
    queue.suspend('it ended');
    const append = queue.append(request(1));
    const refused = expect(append).rejects.toMatchObject({ code: 'store-unavailable' });
    queue.suspend('it cannot start');
    await refused;
  });

  it('is closed when everything has been answered', async () => {
    const { queue, sent } = heldQueue();
    const append = queue.append(request(1));
    let closed = false;
    const closing = queue.close().then(() => (closed = true));
    await nextTurn();
    expect(closed).toBe(false);
    queue.settle(written(sent[0]!));
    await closing;
    await append;
  });

  it('refuses what waits when it is closed without a commit thread', async () => {
    const { queue } = heldQueue();
    queue.suspend('it ended');
    const append = queue.append(request(1));
    const refused = expect(append).rejects.toMatchObject({ code: 'store-unavailable' });
    await queue.close();
    await refused;
  });
});
