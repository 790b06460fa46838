import { appendContract } from './contract/appends.contract.js';
import { readContract } from './contract/reads.contract.js';
import { durabilityContract, subscriptionContract } from './contract/subscriptions.contract.js';
import { fullVolume, type OpenDurableStore, type OpenStoreUnderTest } from './contract/support.contract.js';

export { fullVolume, leastVolume, smallVolume } from './contract/support.contract.js';
export type {
  ContractVolume,
  DurableStoreUnderTest,
  OpenDurableStore,
  OpenStoreUnderTest,
  StoreUnderTest,
} from './contract/support.contract.js';

/** What every adapter of the port keeps, all of it. `open` gives an empty store for each test. */
export const eventStoreContract = (name: string, open: OpenStoreUnderTest, volume = fullVolume): void => {
  describe(`the event store contract: ${name}`, () => {
    appendContract(open, volume);
    readContract(open, volume);
    subscriptionContract(open, volume);
  });
};

/** The same, and what an adapter keeps whose events outlive the process. */
export const durableEventStoreContract = (
  name: string,
  open: OpenDurableStore,
  volume = fullVolume,
): void => {
  eventStoreContract(name, open, volume);
  describe(`the event store contract: ${name}`, () => durabilityContract(open));
};
