import type { EventStoreDBClient } from '@eventstore/db-client';
import type { SubscribeAllOptions, SubscribeToAllOptions } from './client-subscription.js';
import { followClient } from './client-subscription.js';
import type { DriverSubscriber, DriverSubscription } from './driver.js';

/** The driver's subscription over `@eventstore/db-client` 6.2.1. */
export const subscribeAll = (
  client: EventStoreDBClient,
  options: SubscribeAllOptions,
  subscriber: DriverSubscriber,
): DriverSubscription =>
  followClient((call: SubscribeToAllOptions) => client.subscribeToAll(call), options, subscriber);
