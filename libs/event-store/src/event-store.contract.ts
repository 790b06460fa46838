import { appendContract } from './contract/appends.contract.js';
import { readContract } from './contract/reads.contract.js';
import { durabilityContract, subscriptionContract } from './contract/subscriptions.contract.js';
import type { OpenDurableStore, OpenStoreUnderTest } from './contract/support.contract.js';

export type {
  DurableStoreUnderTest,
  OpenDurableStore,
  OpenStoreUnderTest,
  StoreUnderTest,
} from './contract/support.contract.js';

/** What every adapter of the port keeps, all of it. `open` gives an empty store for each test. */
export const eventStoreContract = (name: string, open: OpenStoreUnderTest): void => {
  describe(`the event store contract: ${name}`, () => {
    appendContract(open);
    readContract(open);
    subscriptionContract(open);
  });
};

/** The same, and what an adapter keeps whose events outlive the process. */
export const durableEventStoreContract = (name: string, open: OpenDurableStore): void => {
  eventStoreContract(name, open);
  describe(`the event store contract: ${name}`, () => durabilityContract(open));
};
