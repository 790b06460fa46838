import type { ClientListener } from './client-listener.js';
import { followClient, type SubscribeToAllOptions } from './client-subscription.js';
import type { Driver, DriverAppendResult, DriverExpected, DriverNewEvent } from './driver.js';
import { GuardedClient, type DisposableClient } from './guarded-client.js';
import { RawReads, type Generated } from './raw-read.js';

export interface LoadedClient {
  /** A fresh client. `dispose`: how long it has to end its calls when it is left, milliseconds. */
  readonly open: (listener: ClientListener, dispose: number) => Driver;
}

/** What the answer of either client to an append has in common. */
interface Appended {
  readonly nextExpectedRevision: bigint;
  readonly position?: DriverAppendResult['position'] | undefined;
}

export interface ClientUnderneath {
  readonly client: DisposableClient & { subscribeToAll(options: SubscribeToAllOptions): unknown };
  readonly generated: Generated;
  readonly append: (
    stream: string,
    events: readonly DriverNewEvent[],
    expected: bigint | 'no_stream' | 'any',
  ) => Promise<Appended>;
}

/** The driver over either client: they differ in how an append is said. */
export const driverOver = (
  { client, generated, append }: ClientUnderneath,
  listener: ClientListener,
  dispose: number,
): Driver => {
  const guarded = new GuardedClient(client, listener, dispose);
  const reads = new RawReads(guarded, generated, listener);
  return {
    append: async (stream, events, expected) => resultOf(await append(stream, events, clientsWord(expected))),
    readStream: (stream, options) => reads.stream({ ...options, stream }),
    readAll: (options) => reads.all(options),
    subscribeAll: (options, subscriber) =>
      followClient((call) => client.subscribeToAll(call), options, subscriber),
    dispose: () => guarded.dispose(),
  };
};

const clientsWord = (expected: DriverExpected): bigint | 'no_stream' | 'any' =>
  expected === 'none' ? 'no_stream' : expected;

const resultOf = ({ nextExpectedRevision, position }: Appended): DriverAppendResult => {
  if (position === undefined) throw new Error('the server answered an append without a position');
  return { revision: nextExpectedRevision, position };
};
