import { randomUUID } from 'node:crypto';
import { AppendTooLargeError, InvalidStoreCallError } from '../errors.js';
import type { EventStore, NewEvent } from '../port.js';
import { appendBytesMax, appendEventsMax, pageSizeMax } from '../port.js';
import {
  beyond,
  event,
  idsOf,
  nowhere,
  positionsOf,
  someEvents,
  subjectOf,
  wholeLog,
} from './support.contract.js';
import type { ContractVolume, OpenStoreUnderTest } from './support.contract.js';

const stream = 'test.task-1';

export const readContract = (open: OpenStoreUnderTest, { foreign }: ContractVolume): void => {
  describe('a read of a stream', () => {
    const subject = subjectOf(open);
    const revisions = async (options: Parameters<EventStore['readStream']>[1]): Promise<number[]> =>
      (await subject.store.readStream(stream, options)).map(({ revision }) => revision);

    it('is empty when the stream does not exist', async () => {
      expect(await subject.store.readStream(stream, { limit: 10 })).toEqual([]);
      expect(await subject.store.readStream(stream, { limit: 10, direction: 'backwards' })).toEqual([]);
    });

    it('pages forwards and backwards from a revision, which is included', async () => {
      await subject.store.append(stream, someEvents(7), 'none');
      expect(await revisions({ limit: 3 })).toEqual([0, 1, 2]);
      expect(await revisions({ from: 3, limit: 3 })).toEqual([3, 4, 5]);
      expect(await revisions({ from: 6, limit: 3 })).toEqual([6]);
      expect(await revisions({ from: 7, limit: 3 })).toEqual([]);
      expect(await revisions({ direction: 'backwards', limit: 3 })).toEqual([6, 5, 4]);
      expect(await revisions({ direction: 'backwards', from: 3, limit: 3 })).toEqual([3, 2, 1]);
      expect(await revisions({ direction: 'backwards', from: 0, limit: 3 })).toEqual([0]);
      expect(await revisions({ direction: 'backwards', from: 99, limit: 2 })).toEqual([6, 5]);
    });

    it('brings only its own stream, however alike the names', async () => {
      await subject.store.append(stream, someEvents(2), 'none');
      await subject.store.append(`${stream}0`, someEvents(2), 'none');
      await subject.store.append(stream.toUpperCase(), someEvents(2), 'none');
      const stored = await subject.store.readStream(stream, { limit: 10 });
      expect(stored.map((one) => one.stream)).toEqual([stream, stream]);
    });

    it('sees an append as soon as it is acknowledged', async () => {
      for (let revision = 0; revision < 50; revision++) {
        await subject.store.append(stream, [event()], revision === 0 ? 'none' : revision - 1);
        expect(await revisions({ direction: 'backwards', limit: 1 })).toEqual([revision]);
      }
    });
  });

  describe('a read of the log', () => {
    const subject = subjectOf(open);

    it('is empty when nothing is under the prefix', async () => {
      await subject.store.append('other.task-1', someEvents(3), 'none');
      expect(await subject.store.readAll({ prefix: 'test.', limit: 10 })).toEqual([]);
      expect(await subject.store.readAll({ prefix: 'test.', limit: 10, direction: 'backwards' })).toEqual([]);
    });

    it('pages in log order: forwards from a position on, backwards from before it', async () => {
      const written = await interleaved(subject.store);
      const all = await subject.store.readAll({ prefix: 'test.', limit: 100 });
      expect(idsOf(all)).toEqual(idsOf(written));
      const at = all[4]!.position;
      const page = async (direction: 'forwards' | 'backwards', limit: number): Promise<string[]> =>
        idsOf(await subject.store.readAll({ prefix: 'test.', from: at, direction, limit }));
      expect(await page('forwards', 3)).toEqual(idsOf(written.slice(4, 7)));
      expect(await page('forwards', 100)).toEqual(idsOf(written.slice(4)));
      expect(await page('backwards', 3)).toEqual(idsOf(written.slice(1, 4).reverse()));
      expect(await page('backwards', 100)).toEqual(idsOf(written.slice(0, 4).reverse()));
    });

    it('begins at the start forwards and at the end backwards', async () => {
      const written = await interleaved(subject.store);
      const backwards = await subject.store.readAll({ prefix: 'test.', direction: 'backwards', limit: 2 });
      expect(idsOf(backwards)).toEqual(idsOf(written.slice(-2).reverse()));
      expect(idsOf(await subject.store.readAll({ prefix: 'test.', limit: 1 }))).toEqual(
        idsOf(written.slice(0, 1)),
      );
    });

    it('has nothing below the first position and nothing beyond the last', async () => {
      const written = await interleaved(subject.store);
      const read = (from: string, direction: 'forwards' | 'backwards'): Promise<readonly unknown[]> =>
        subject.store.readAll({ prefix: 'test.', from, direction, limit: 100 });
      expect(await read(nowhere, 'backwards')).toEqual([]);
      expect(await read(nowhere, 'forwards')).toHaveLength(written.length);
      expect(await read(beyond, 'forwards')).toEqual([]);
      expect(await read(beyond, 'backwards')).toHaveLength(written.length);
    });

    it('gives every event a position, rising in log order and the same wherever it is read', async () => {
      await interleaved(subject.store);
      const all = await wholeLog(subject.store, 'test.');
      const positions = positionsOf(all);
      expect(positions).toEqual([...new Set(positions)].sort());
      expect(positions.every((position) => /^\d{20}$/.test(position))).toBe(true);
      const ofStream = await subject.store.readStream(stream, { limit: 100 });
      expect(ofStream).toEqual(all.filter((one) => one.stream === stream));
    });

    it('filters by the exact prefix, wildcards and case being letters like others', async () => {
      const names = ['te%t.a', 'te_t.a', 'TEST.a', 'test.a', 'tests.a', 'tést.a'];
      for (const name of names) await subject.store.append(name, [event()], 'none');
      const streams = async (prefix: string): Promise<string[]> =>
        (await subject.store.readAll({ prefix, limit: 100 })).map((one) => one.stream);
      for (const name of names) expect(await streams(name.slice(0, 5))).toEqual([name]);
      expect(await streams('')).toEqual(names);
    });

    it('a page is full although most of the log is foreign', async () => {
      await subject.store.append(stream, someEvents(2), 'none');
      for (let index = 0; index < 10; index++)
        await subject.store.append(`other.${String(index)}`, someEvents(foreign / 10), 'none');
      await subject.store.append(stream, someEvents(2), 1);
      expect(await subject.store.readAll({ prefix: 'test.', limit: 4 })).toHaveLength(4);
      expect(await subject.store.readAll({ prefix: 'test.', limit: 4, direction: 'backwards' })).toHaveLength(
        4,
      );
    });
  });

  describe('the head', () => {
    const subject = subjectOf(open);

    it('is the position of the newest event under the prefix, of whatever stream', async () => {
      expect(await subject.store.head('test.')).toBeUndefined();
      await subject.store.append('other.task-1', someEvents(1), 'none');
      expect(await subject.store.head('test.')).toBeUndefined();
      const { position } = await subject.store.append(stream, someEvents(2), 'none');
      await subject.store.append('other.task-1', someEvents(5), 0);
      expect(await subject.store.head('test.')).toBe(position);
      const next = await subject.store.append('test.task-2', someEvents(1), 'none');
      expect(await subject.store.head('test.')).toBe(next.position);
    });
  });

  describe('a call that no backend may see', () => {
    const subject = subjectOf(open);
    const invalid = async (call: () => unknown): Promise<void> => {
      await expect((async () => call())()).rejects.toThrow(InvalidStoreCallError);
      expect(await subject.store.readAll({ prefix: '', limit: 1 })).toEqual([]);
    };
    const id = randomUUID();

    it.each<[string, string, NewEvent[]]>([
      ['an empty append', stream, []],
      ['an empty stream name', '', [event()]],
      ['an empty type', stream, [event(), { ...event(), type: '' }]],
      ['one id twice', stream, [event('a', id), event('b', id)]],
      ['an id that is no UUID', stream, [event('a', 'mine')]],
      ['a stream name that has no UTF-8 form', 'test.\uD800', [event()]],
      ['data that has no UTF-8 form', stream, [{ ...event(), data: '"\uDC00"' }]],
      ['a stream name with NUL', 'test.\0', [event()]],
      ['more events than the limit', stream, someEvents(appendEventsMax + 1)],
    ])('append: %s', (_, name, events) => invalid(() => subject.store.append(name, events, 'any')));

    it.each([-1, 0.5, Number.NaN])('append: an expected revision of %d', (expected) =>
      invalid(() => subject.store.append(stream, [event()], expected)),
    );

    it.each([0, -1, 1.5, pageSizeMax + 1])('a read or a subscription of %d events', async (limit) => {
      await invalid(() => subject.store.readStream(stream, { limit }));
      await invalid(() => subject.store.readAll({ prefix: '', limit }));
      await invalid(() => subject.store.subscribe({ from: 'start', prefix: '', batchSize: limit }));
    });

    it.each(['', '7', 'none', '-0000000000000000007'])('a position of %j', async (from) => {
      await invalid(() => subject.store.readAll({ prefix: '', limit: 1, from }));
      await invalid(() => subject.store.subscribe({ from, prefix: '' }));
    });

    it('a read of an empty stream name or from a negative revision', async () => {
      await invalid(() => subject.store.readStream('', { limit: 1 }));
      await invalid(() => subject.store.readStream(stream, { limit: 1, from: -1 }));
    });
  });

  describe('the size limit', () => {
    const subject = subjectOf(open);
    /** One event of exactly this many bytes, most of them two to a character. */
    const sized = (bytes: number): NewEvent => {
      const rest = bytes - 'T'.length - '{}'.length - '""'.length;
      return {
        id: randomUUID(),
        type: 'T',
        data: `"${'é'.repeat(Math.floor(rest / 2))}${'e'.repeat(rest % 2)}"`,
        metadata: '{}',
      };
    };

    it('C39 takes what is exactly at it, whole', async () => {
      const large = sized(appendBytesMax);
      await subject.store.append(stream, [large], 'none');
      expect(await subject.store.readStream(stream, { limit: 1 })).toMatchObject([large]);
    });

    it.each([
      ['one event', [sized(appendBytesMax + 1)]],
      ['a batch together', [sized(appendBytesMax / 2), sized(appendBytesMax / 2), sized(5)]],
    ])('C39 refuses %s above it before anything is written', async (_, events) => {
      const refused = subject.store.append(stream, events, 'none');
      await expect(refused).rejects.toThrow(AppendTooLargeError);
      await expect(refused).rejects.toMatchObject({ limit: appendBytesMax });
      expect(await subject.store.readAll({ prefix: '', limit: 1 })).toEqual([]);
    });

    it('C39 a stream may grow far beyond it, append by append', async () => {
      let revision: number | 'none' = 'none';
      for (let index = 0; index < 3; index++)
        ({ revision } = await subject.store.append(stream, [sized(appendBytesMax)], revision));
      const stored = await subject.store.readStream(stream, { limit: 10 });
      expect(stored.map(({ data }) => Buffer.byteLength(data))).toEqual(Array(3).fill(appendBytesMax - 3));
    });
  });
};

/** Events of two streams under `test.` in turn, with foreign ones between; answers ours in log order. */
const interleaved = async (store: EventStore): Promise<NewEvent[]> => {
  const written: NewEvent[] = [];
  for (let round = 0; round < 5; round++) {
    const expected = round === 0 ? 'none' : round - 1;
    for (const name of [stream, 'other.task-1', 'test.task-2']) {
      const one = event(`${name} ${String(round)}`);
      await store.append(name, [one], expected);
      if (name.startsWith('test.')) written.push(one);
    }
  }
  return written;
};
