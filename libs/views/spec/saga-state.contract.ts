import type { OpenTrigger, SagaState } from '#application';
import type { State } from '../src/index.js';

/** A place for a state, and how a process opens it: again, or beside another one. */
export interface StatePlace {
  open(): Promise<State>;
  /** Takes everything away again. */
  remove(): Promise<void>;
}

const positionOf = (number: number): string => String(number).padStart(20, '0');

const markAt = (number: number): Parameters<SagaState['save']>[1] => ({
  position: positionOf(number),
  eventId: `event-${String(number)}`,
  logId: 'abcd1234',
});

const triggerAt = (number: number): OpenTrigger => ({
  position: positionOf(number),
  stream: `ledger.task-${String(number)}`,
  revision: number,
});

const nothing = { opened: [], closed: [] };

/** What every state must do, wherever it is kept. */
export const sagaStateContract = (name: string, create: () => Promise<StatePlace>): void => {
  describe(`The state of the saga: ${name}`, () => {
    let place: StatePlace;
    let opened: State[];
    const open = async (): Promise<SagaState> => {
      const state = await place.open();
      opened.push(state);
      return state.saga;
    };
    const closeAll = async (): Promise<void> => {
      for (const state of opened.splice(0)) await state.close();
    };
    beforeEach(async () => {
      opened = [];
      place = await create();
    });
    afterEach(async () => {
      await closeAll();
      await place.remove();
    });

    it('is absent before anything was saved', async () => {
      expect(await (await open()).load()).toBeUndefined();
    });

    it('comes back after a restart, its triggers in log order', async () => {
      const first = await open();
      expect(
        await first.save(undefined, markAt(9), { opened: [triggerAt(9), triggerAt(4)], closed: [] }),
      ).toBe(true);
      await closeAll();

      expect(await (await open()).load()).toEqual({ ...markAt(9), open: [triggerAt(4), triggerAt(9)] });
    });

    it('moves on from where it stands, with what was opened and closed since', async () => {
      const saga = await open();
      await saga.save(undefined, markAt(2), { opened: [triggerAt(1), triggerAt(2)], closed: [] });

      const changes = { opened: [triggerAt(3)], closed: [positionOf(1)] };
      expect(await saga.save(positionOf(2), markAt(3), changes)).toBe(true);

      expect(await saga.load()).toEqual({ ...markAt(3), open: [triggerAt(2), triggerAt(3)] });
    });

    it('may change its triggers where it stands', async () => {
      const saga = await open();
      await saga.save(undefined, markAt(2), { opened: [triggerAt(1)], closed: [] });

      expect(await saga.save(positionOf(2), markAt(2), { opened: [], closed: [positionOf(1)] })).toBe(true);

      expect(await saga.load()).toEqual({ ...markAt(2), open: [] });
    });

    it('closes before it opens: a trigger may take the place of another one, as in another log', async () => {
      const saga = await open();
      await saga.save(undefined, markAt(5), { opened: [triggerAt(5), triggerAt(4)], closed: [] });
      const [four, five] = [triggerAt(4), triggerAt(5)].map((trigger) => ({ ...trigger, stream: 'other' }));

      const reset = { position: '0'.repeat(20), eventId: '', logId: 'other123' };
      await saga.save(positionOf(5), reset, { opened: [four!, five!], closed: [positionOf(4)] });

      expect(await saga.load()).toEqual({ ...reset, open: [four, five] });
    });

    it('keeps one trigger of a position, and minds none that is closed twice', async () => {
      const saga = await open();
      await saga.save(undefined, markAt(5), { opened: [triggerAt(5), triggerAt(5)], closed: [] });
      await saga.save(positionOf(5), markAt(6), { opened: [triggerAt(5)], closed: [positionOf(1)] });

      expect(await saga.load()).toEqual({ ...markAt(6), open: [triggerAt(5)] });
    });

    it.each<[string, number | undefined]>([
      ['an older one', 1],
      ['a newer one', 3],
      ['none', undefined],
    ])('writes nothing for a runner that has seen %s', async (_what, seen) => {
      const saga = await open();
      await saga.save(undefined, markAt(2), { opened: [triggerAt(2)], closed: [] });

      const position = seen === undefined ? undefined : positionOf(seen);
      const changes = { opened: [triggerAt(7)], closed: [positionOf(2)] };
      expect(await saga.save(position, markAt(7), changes)).toBe(false);

      expect(await saga.load()).toEqual({ ...markAt(2), open: [triggerAt(2)] });
    });

    it('writes nothing for a runner that has seen a state which is not there', async () => {
      const saga = await open();

      expect(await saga.save(positionOf(2), markAt(3), nothing)).toBe(false);

      expect(await saga.load()).toBeUndefined();
    });

    it('is moved by one of two runners, and the other one sees where it stands', async () => {
      const [one, other] = [await open(), await open()];
      await one.save(undefined, markAt(1), nothing);

      const saved = await Promise.all([
        one.save(positionOf(1), markAt(2), { opened: [triggerAt(2)], closed: [] }),
        other.save(positionOf(1), markAt(3), { opened: [triggerAt(3)], closed: [] }),
      ]);

      expect([...saved].sort()).toEqual([false, true]);
      expect(await one.load()).toEqual(await other.load());
      expect((await other.load())?.open).toHaveLength(1);
    });

    it('holds thousands of triggers', async () => {
      const saga = await open();
      const triggers = Array.from({ length: 5_000 }, (_, index) => triggerAt(index));

      await saga.save(undefined, markAt(5_000), { opened: triggers, closed: [] });

      expect((await saga.load())?.open).toEqual(triggers);
    });

    it('saves all of it or nothing', async () => {
      const saga = await open();
      await saga.save(undefined, markAt(1), nothing);
      const broken = { ...triggerAt(2), stream: null } as unknown as OpenTrigger;

      const saving = saga.save(positionOf(1), markAt(2), { opened: [triggerAt(1), broken], closed: [] });

      await expect(saving).rejects.toThrow();
      expect(await saga.load()).toEqual({ ...markAt(1), open: [] });
    });
  });
};
