import { describe, expect, it } from '@jest/globals';
import type { NewEvent, RecordedEvent } from '#event-store';
import { MemoryEventStore } from '#testing';
import { everyEvent } from './every-event.js';
import { compareLog, replay } from './replay.js';

const prefix = 'ledger.';
const event = (id: string, bytes = 2): NewEvent => ({
  id: `00000000-0000-4000-8000-${id.padStart(12, '0')}`,
  type: 'Happened',
  data: JSON.stringify('x'.repeat(bytes)),
  metadata: '{}',
});

const all = async (store: MemoryEventStore): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const one of everyEvent(store, prefix)) events.push(one);
  return events;
};

/** Streams that interleave, runs of one stream, a large event, and a stream that is not ours. */
const original = async (): Promise<MemoryEventStore> => {
  const store = new MemoryEventStore();
  await store.append('ledger.log', [event('1')], 'none');
  await store.append('foreign.a', [event('2')], 'none');
  await store.append('ledger.task-a', [event('3'), event('4')], 'none');
  await store.append('ledger.task-a', [event('5')], 1);
  await store.append('ledger.task-b', [event('6', 900_000)], 'none');
  await store.append('ledger.task-b', [event('7', 900_000)], 0);
  await store.append('ledger.task-a', [event('8')], 2);
  await store.append('foreign.a', [event('9')], 0);
  return store;
};

async function* from(events: readonly RecordedEvent[]): AsyncGenerator<RecordedEvent> {
  yield* events;
}

const withoutPlace = ({ position: _position, created: _created, ...rest }: RecordedEvent): object => rest;

describe('a backup that is appended to another log', () => {
  it('makes the same streams in the same order, and nothing else', async () => {
    const events = await all(await original());
    const store = new MemoryEventStore();
    await replay(store, from(events), 0);
    expect((await all(store)).map(withoutPlace)).toEqual(events.map(withoutPlace));
    expect(await compareLog(store, prefix, from(events))).toEqual({
      common: events.length,
      backupGoesOn: false,
      logGoesOn: false,
    });
  });

  it('goes on where it stopped, wherever that was', async () => {
    const events = await all(await original());
    for (let done = 0; done <= events.length; done += 1) {
      const store = new MemoryEventStore();
      await replay(store, from(events.slice(0, done)), 0);
      const { common, backupGoesOn } = await compareLog(store, prefix, from(events));
      expect([common, backupGoesOn]).toEqual([done, done < events.length]);
      await replay(store, from(events), common);
      expect((await all(store)).map(withoutPlace)).toEqual(events.map(withoutPlace));
    }
  });

  it('is whole though answers were lost and the store was away', async () => {
    const events = await all(await original());
    const store = new MemoryEventStore();
    store.faults.loseNextReply();
    store.faults.refuseAppends = true;
    const replaying = replay(store, from(events), 0, 1);
    await new Promise(setImmediate);
    store.faults.refuseAppends = false;
    store.faults.loseNextReply();
    await replaying;
    expect((await all(store)).map(withoutPlace)).toEqual(events.map(withoutPlace));
  });

  it('ends when somebody else writes to the log', async () => {
    const events = await all(await original());
    const store = new MemoryEventStore();
    await store.append('ledger.task-a', [event('99')], 'none');
    await expect(replay(store, from(events), 0)).rejects.toThrow('somebody else writes to this log');
  });
});

describe('a log beside a backup', () => {
  it('that holds more than the backup goes on after it', async () => {
    const store = await original();
    const events = await all(store);
    await store.append('ledger.task-c', [event('10')], 'none');
    expect(await compareLog(store, prefix, from(events))).toEqual({
      common: events.length,
      backupGoesOn: false,
      logGoesOn: true,
    });
  });

  it.each(['id', 'data', 'metadata', 'type', 'stream', 'revision'] as const)(
    'that holds an event with another %s is another log, and where is said',
    async (field) => {
      const store = await original();
      const events = await all(store);
      const changed = events.map((one, index) =>
        index === 3 ? { ...one, [field]: field === 'revision' ? 99 : 'another' } : one,
      );
      expect(await compareLog(store, prefix, from(changed))).toMatchObject({
        common: 3,
        differsAt: events[3]?.position,
      });
    },
  );
});
