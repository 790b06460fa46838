import type { LogChangedError } from '../../../errors.js';
import type { RecordedEvent } from '../../../port.js';
import type { DriverEvent } from '../driver/driver.js';
import type { SubscriptionConnection } from './connection.js';
import type { SubscriptionTimings } from './timings.js';

export interface SubscriptionLogger {
  warn(details: object, message: string): void;
}

/** What every subscription of one store shares. */
export interface SubscriptionParts {
  readonly connection: SubscriptionConnection;
  readonly timings: SubscriptionTimings;
  /** An event of the client as the port shows it. */
  readonly recorded: (event: DriverEvent) => RecordedEvent;
  readonly logger?: SubscriptionLogger | undefined;
  /** A subscription was lost and is being opened again. */
  readonly onLost?: ((reason: string) => void) | undefined;
  /** The log is not the one any more whose events were delivered here. */
  readonly onLogChanged?: ((error: LogChangedError) => void) | undefined;
  /** An event was delivered here. */
  readonly onSeen?: ((event: RecordedEvent) => void) | undefined;
}
