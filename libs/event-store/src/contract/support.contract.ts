import { randomUUID } from 'node:crypto';
import type { EventStore, NewEvent, RecordedEvent, SubscribeOptions, SubscriptionMessage } from '../port.js';
import { rootedStore } from './rooted-store.contract.js';

/** One empty store of an adapter under test. */
export interface StoreUnderTest {
  readonly store: EventStore;
  /** For a store on a server that is not empty: a fresh prefix under which it is. Default: the store is empty. */
  readonly root?: string;
  /** Closes whatever is open and removes it. */
  readonly dispose: () => Promise<void>;
}

export interface DurableStoreUnderTest extends StoreUnderTest {
  /** Closes the store and opens what it kept. */
  readonly reopen: () => Promise<EventStore>;
}

/** How much the contract writes where much is to happen at once. */
export interface ContractVolume {
  /** Appends to one stream at the same time. */
  readonly rivals: number;
  /** Streams that are written to at the same time. */
  readonly streams: number;
  /** Events that are written while a subscription follows; a multiple of 40. */
  readonly busy: number;
  /** Foreign events beside a few of ours. */
  readonly foreign: number;
  /** Events of each of eight writers. */
  readonly byWriter: number;
  /** Events that are written while a consumer does not take any; a multiple of 40. */
  readonly unread: number;
  /** Events that are there when a subscription begins; more than a message holds. */
  readonly earlier: number;
  /** Appends under way at a close. */
  readonly accepted: number;
}

export const fullVolume: ContractVolume = {
  rivals: 1_000,
  streams: 200,
  busy: 1_200,
  foreign: 10_000,
  byWriter: 150,
  unread: 480,
  earlier: 300,
  accepted: 300,
};

/** For a server that shares the processor with its client and with the test: the same rules, sooner. */
export const smallVolume: ContractVolume = {
  rivals: 100,
  streams: 20,
  busy: 120,
  foreign: 1_000,
  byWriter: 15,
  unread: 120,
  earlier: 80,
  accepted: 100,
};

/** Where the same server has kept all of it with other settings already. */
export const leastVolume: ContractVolume = {
  rivals: 40,
  streams: 8,
  busy: 40,
  foreign: 500,
  byWriter: 5,
  unread: 80,
  earlier: 80,
  accepted: 40,
};

export type OpenStoreUnderTest = () => Promise<StoreUnderTest>;
export type OpenDurableStore = () => Promise<DurableStoreUnderTest>;

/** A fresh store before each test of the suite that calls it; to be asked in a test, not before. */
export const subjectOf = <T extends StoreUnderTest>(open: () => Promise<T>): Omit<T, 'dispose'> => {
  let current: T | undefined;
  beforeEach(async () => {
    current = await open();
  });
  afterEach(async () => {
    await current?.dispose();
  });
  const opened = (): T => {
    if (current === undefined) throw new Error('no store before the test began');
    return current;
  };
  return new Proxy({} as T, { get: (_, property) => propertyOf(opened(), property) });
};

/** Stores are shown as if they were empty; the others of a store under test are its own. */
const propertyOf = (subject: StoreUnderTest, property: string | symbol): unknown => {
  const { root = '' } = subject;
  const found = Reflect.get(subject, property) as unknown;
  if (root === '') return found;
  if (property === 'store') return rootedStore(found as EventStore, root);
  if (property !== 'reopen') return found;
  return async () => rootedStore(await (found as DurableStoreUnderTest['reopen'])(), root);
};

let made = 0;

/** A new event; its data names it, so that a test can say which one it saw. */
export const event = (name = `event ${String(++made)}`, id: string = randomUUID()): NewEvent => ({
  id,
  type: 'SomethingHappened',
  data: JSON.stringify({ name }),
  metadata: JSON.stringify({ by: 'contract' }),
});

export const someEvents = (count: number): NewEvent[] => Array.from({ length: count }, () => event());

export const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);

export const positionsOf = (events: readonly RecordedEvent[]): string[] =>
  events.map(({ position }) => position);

export const nowhere = '00000000000000000000';
export const beyond = '99999999999999999999';

/** Everything under a prefix, in log order, page by page. */
export const wholeLog = async (store: EventStore, prefix: string): Promise<RecordedEvent[]> => {
  const all: RecordedEvent[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await store.readAll({ prefix, limit: 1_000, ...(last && { from: last.position }) });
    const fresh = last === undefined ? page : page.slice(1);
    if (fresh.length === 0) return all;
    all.push(...fresh);
  }
};

/** Follows a subscription until `enough` says so about the events it has brought. Leaves it then. */
export const follow = async (
  store: EventStore,
  options: SubscribeOptions,
  enough: (events: readonly RecordedEvent[], live: boolean) => boolean,
): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const message of store.subscribe(options)) {
    if (message.kind === 'events') events.push(...message.events);
    if (enough(events, message.kind === 'live')) break;
  }
  return events;
};

/** The messages of a subscription one by one, for tests that set its pace. */
export const messagesOf = (
  store: EventStore,
  options: SubscribeOptions,
): AsyncIterator<SubscriptionMessage> => store.subscribe(options)[Symbol.asyncIterator]();

/** Asks until the subscription is live. Answers the events that came before. */
export const untilLive = async (messages: AsyncIterator<SubscriptionMessage>): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for (;;) {
    const next = await messages.next();
    if (next.done === true || next.value.kind === 'live') return events;
    events.push(...next.value.events);
  }
};
