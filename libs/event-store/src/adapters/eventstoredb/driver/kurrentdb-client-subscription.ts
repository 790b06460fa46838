import type { KurrentDBClient } from '@kurrent/kurrentdb-client';
import type { SubscribeAllOptions, SubscribeToAllOptions } from './client-subscription.js';
import { followClient } from './client-subscription.js';
import type { DriverSubscriber, DriverSubscription } from './driver.js';

/** The driver's subscription over `@kurrent/kurrentdb-client` 1.3. */
export const subscribeAll = (
  client: KurrentDBClient,
  options: SubscribeAllOptions,
  subscriber: DriverSubscriber,
): DriverSubscription =>
  followClient((call: SubscribeToAllOptions) => client.subscribeToAll(call), options, subscriber);
