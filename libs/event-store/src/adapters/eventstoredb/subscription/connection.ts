import type { Driver, DriverEvent, DriverPosition, DriverRead } from '../driver/driver.js';

/** A client in use. Once it is left it is never used again, and what it carried is over. */
export interface LiveClient {
  readonly driver: Driver;
  /** Fires when this client is left. */
  readonly left: AbortSignal;
}

export type DriverPlace = DriverPosition | 'start' | 'end';

/** What subscriptions need of whoever looks after the client of this process. */
export interface SubscriptionConnection {
  /**
   * The client to use now; waits for the next one while another is being left.
   * @throws StoreUnavailableError when the store is closed
   */
  client(signal: AbortSignal): Promise<LiveClient>;
  /** This client cannot be trusted any more. Nothing happens when it has been left already. */
  leave(client: LiveClient, reason: string): void;
  /**
   * A guarded read of the whole log from a leader, of every stream; forwards it includes `from`.
   * @throws StoreUnavailableError
   */
  readAllRaw(options: DriverRead & { readonly from: DriverPlace }): Promise<readonly DriverEvent[]>;
}
