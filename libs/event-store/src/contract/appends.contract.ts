import { randomUUID } from 'node:crypto';
import { OutcomeUnknownError, WrongExpectedRevisionError } from '../errors.js';
import type { AppendResult, EventStore, ExpectedRevision, NewEvent } from '../port.js';
import { event, idsOf, someEvents, subjectOf, wholeLog } from './support.contract.js';
import type { ContractVolume, OpenStoreUnderTest } from './support.contract.js';

const stream = 'test.task-1';

export const appendContract = (
  open: OpenStoreUnderTest,
  { rivals, streams, accepted: underWay }: ContractVolume,
): void => {
  describe('an append', () => {
    const subject = subjectOf(open);

    it('answers revision and position of its last event', async () => {
      const first = await subject.store.append(stream, someEvents(1), 'none');
      const second = await subject.store.append(stream, someEvents(3), 0);
      expect([first.revision, second.revision]).toEqual([0, 3]);
      expect(second.position > first.position).toBe(true);
      const [last] = await subject.store.readStream(stream, { direction: 'backwards', limit: 1 });
      expect(last).toMatchObject(second);
    });

    it('stores a batch whole, in its order, with what was given', async () => {
      const batch = [event('a "quoted" ☃ 𝄞 text'), event(), event()];
      await subject.store.append(stream, batch, 'none');
      const stored = await subject.store.readStream(stream, { limit: 10 });
      expect(stored).toMatchObject(batch.map((given, revision) => ({ ...given, stream, revision })));
    });

    it('keeps data that is no JSON as it is', async () => {
      const broken = { ...event(), data: '{"cut off', metadata: '' };
      await subject.store.append(stream, [broken], 'none');
      expect(await subject.store.readStream(stream, { limit: 1 })).toMatchObject([broken]);
    });

    it('says when, by the clock of the store', async () => {
      await subject.store.append(stream, [event()], 'none');
      const [stored] = await subject.store.readStream(stream, { limit: 1 });
      expect(new Date(stored!.created).toISOString()).toBe(stored!.created);
    });

    it('may be written again at a new revision: an id alone deduplicates nothing', async () => {
      const again = event();
      await subject.store.append(stream, [again], 'none');
      expect(await subject.store.append(stream, [again], 0)).toMatchObject({ revision: 1 });
    });
  });

  describe('an expected revision', () => {
    const subject = subjectOf(open);
    const refusals: [ExpectedRevision, number, ExpectedRevision][] = [
      ['none', 2, 1],
      [0, 2, 1],
      [2, 2, 1],
      [0, 0, 'none'],
      [7, 0, 'none'],
    ];

    it.each(refusals)(
      '%s on a stream of %i events is refused and says %s',
      async (expected, count, actual) => {
        if (count > 0) await subject.store.append(stream, someEvents(count), 'none');
        const refused = subject.store.append(stream, someEvents(2), expected);
        await expect(refused).rejects.toThrow(WrongExpectedRevisionError);
        await expect(refused).rejects.toMatchObject({
          code: 'wrong-expected-revision',
          stream,
          expected,
          actual,
        });
        expect(await subject.store.readStream(stream, { limit: 10 })).toHaveLength(count);
      },
    );

    it('any takes a stream that is there and one that is not', async () => {
      expect(await subject.store.append(stream, someEvents(2), 'any')).toMatchObject({ revision: 1 });
      expect(await subject.store.append(stream, someEvents(2), 'any')).toMatchObject({ revision: 3 });
    });

    it('is of one stream: what happens in another does not matter', async () => {
      await subject.store.append(stream, someEvents(1), 'none');
      await subject.store.append('test.task-2', someEvents(5), 'none');
      expect(await subject.store.append(stream, someEvents(1), 0)).toMatchObject({ revision: 1 });
    });

    it(`lets exactly one of ${String(rivals)} appends win`, async () => {
      await subject.store.append(stream, someEvents(1), 'none');
      const attempts = Array.from({ length: rivals }, () => event());
      const results = await Promise.allSettled(attempts.map((one) => subject.store.append(stream, [one], 0)));
      const won = attempts.filter((_, index) => results[index]?.status === 'fulfilled');
      expect(won).toHaveLength(1);
      expect(results.filter(isWrongRevision)).toHaveLength(rivals - 1);
      const stored = await subject.store.readStream(stream, { limit: 10 });
      expect(idsOf(stored.slice(1))).toEqual(idsOf(won));
    });

    it(`any lets all of ${String(rivals)} appends in, each once`, async () => {
      const attempts = Array.from({ length: rivals }, () => event());
      const results = await Promise.all(attempts.map((one) => subject.store.append(stream, [one], 'any')));
      expect(new Set(results.map(({ revision }) => revision)).size).toBe(rivals);
      const stored = await subject.store.readStream(stream, { limit: 2_000 });
      expect(stored.map(({ revision }) => revision)).toEqual(
        Array.from({ length: rivals }, (_, index) => index),
      );
      expect(new Set(idsOf(stored))).toEqual(new Set(idsOf(attempts)));
    });

    it('holds on many streams at once', async () => {
      const names = Array.from({ length: streams }, (_, index) => `test.task-${String(index)}`);
      await Promise.all(names.map((name) => writeInTurn(subject.store, name, 5)));
      const all = await wholeLog(subject.store, 'test.');
      for (const name of names)
        expect(all.filter((one) => one.stream === name).map(({ revision }) => revision)).toEqual([
          0, 1, 2, 3, 4,
        ]);
    });

    it('refuses one append among others that are taken, and leaves nothing of it', async () => {
      await subject.store.append(stream, someEvents(1), 'none');
      const results = await Promise.allSettled([
        subject.store.append('test.task-2', someEvents(2), 'none'),
        subject.store.append(stream, someEvents(2), 'none'),
        subject.store.append('test.task-3', someEvents(2), 'none'),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await wholeLog(subject.store, 'test.')).toHaveLength(5);
    });
  });

  describe('an append repeated with the same ids at the same expected revision', () => {
    const subject = subjectOf(open);

    /** Appends, forgets the answer, and repeats. */
    const repeat = async (
      events: readonly NewEvent[],
      expected: ExpectedRevision,
    ): Promise<AppendResult[]> => [
      await subject.store.append(stream, events, expected),
      await subject.store.append(stream, events, expected),
    ];

    it.each([
      ['the first append of a stream', 0, 1],
      ['an append of two events', 0, 2],
      ['a later append', 3, 1],
      ['a large batch', 3, 256],
    ])('C36 %s is stored once and answers as it did', async (_, before, count) => {
      if (before > 0) await subject.store.append(stream, someEvents(before), 'none');
      const events = someEvents(count);
      const [first, second] = await repeat(events, before === 0 ? 'none' : before - 1);
      expect(second).toEqual(first);
      const stored = await subject.store.readStream(stream, { limit: 1_000 });
      expect(idsOf(stored.slice(before))).toEqual(idsOf(events));
    });

    it('C36 answers as it did when others have written behind it', async () => {
      const events = someEvents(2);
      const first = await subject.store.append(stream, events, 'none');
      await subject.store.append(stream, someEvents(3), 1);
      expect(await subject.store.append(stream, events, 'none')).toEqual(first);
      expect(await subject.store.readStream(stream, { limit: 10 })).toHaveLength(5);
    });

    it('C36 is refused when somebody else stands there', async () => {
      await subject.store.append(stream, someEvents(1), 'none');
      await expect(subject.store.append(stream, someEvents(1), 'none')).rejects.toThrow(
        WrongExpectedRevisionError,
      );
    });

    it('compares ids alone', async () => {
      const [one] = someEvents(1);
      const first = await subject.store.append(stream, [one!], 'none');
      expect(await subject.store.append(stream, [{ ...one!, data: '"other"' }], 'none')).toEqual(first);
      expect((await subject.store.readStream(stream, { limit: 1 }))[0]?.data).toBe(one!.data);
    });

    it('takes a part of it at its own place', async () => {
      const [one, two, three] = someEvents(3) as [NewEvent, NewEvent, NewEvent];
      const whole = await subject.store.append(stream, [one, two, three], 'none');
      expect(await subject.store.append(stream, [one, two], 'none')).toMatchObject({ revision: 1 });
      expect(await subject.store.append(stream, [two, three], 0)).toEqual(whole);
      expect(await subject.store.append(stream, [three], 1)).toEqual(whole);
      expect(await subject.store.readStream(stream, { limit: 10 })).toHaveLength(3);
    });

    it('is refused when it holds more than was stored, or another order', async () => {
      const [one, two] = someEvents(2) as [NewEvent, NewEvent];
      await subject.store.append(stream, [one, two], 'none');
      const refused = [
        subject.store.append(stream, [one, two, event()], 'none'),
        subject.store.append(stream, [two, one], 'none'),
        subject.store.append(stream, [two], 'none'),
      ];
      for (const append of refused) await expect(append).rejects.toThrow(WrongExpectedRevisionError);
      expect(await subject.store.readStream(stream, { limit: 10 })).toHaveLength(2);
    });

    it('is stored once when both are under way at the same time', async () => {
      const events = someEvents(2);
      const results = await Promise.all([
        subject.store.append(stream, events, 'none'),
        subject.store.append(stream, events, 'none'),
      ]);
      expect(results[0]).toEqual(results[1]);
      expect(await subject.store.readStream(stream, { limit: 10 })).toHaveLength(2);
    });
  });

  describe('health and close', () => {
    const subject = subjectOf(open);

    it('an open store is writable, a closed one says why not', async () => {
      expect(subject.store.health()).toEqual({ writable: true });
      await subject.store.close();
      expect(subject.store.health()).toMatchObject({ writable: false, reason: expect.any(String) as string });
    });

    it('a close finishes the appends that were accepted', async () => {
      const accepted = Array.from({ length: underWay }, (_, index) =>
        subject.store.append(`test.task-${String(index)}`, [event()], 'none'),
      );
      const closed = subject.store.close();
      await expect(Promise.all(accepted)).resolves.toHaveLength(underWay);
      await closed;
    });

    it('a closed store takes nothing and may be closed again', async () => {
      await subject.store.close();
      await subject.store.close();
      const unavailable = { code: 'store-unavailable' };
      await expect(subject.store.append(stream, [event()], 'none')).rejects.toMatchObject(unavailable);
      await expect(subject.store.readStream(stream, { limit: 1 })).rejects.toMatchObject(unavailable);
      await expect(subject.store.readAll({ prefix: '', limit: 1 })).rejects.toMatchObject(unavailable);
      await expect(subject.store.head('')).rejects.toMatchObject(unavailable);
    });
  });
};

const isWrongRevision = (result: PromiseSettledResult<unknown>): boolean =>
  result.status === 'rejected' && result.reason instanceof WrongExpectedRevisionError;

/** One append after the other; an answer that did not come is asked for again with the same ids. */
const writeInTurn = async (store: EventStore, name: string, count: number): Promise<void> => {
  for (let revision = 0; revision < count; revision++) {
    const one = event(`${name} ${String(revision)}`, randomUUID());
    const expected = revision === 0 ? 'none' : revision - 1;
    await store.append(name, [one], expected).catch((error: unknown) => {
      if (error instanceof OutcomeUnknownError) return store.append(name, [one], expected);
      throw error;
    });
  }
};
