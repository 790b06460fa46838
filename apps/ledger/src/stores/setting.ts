import type { Logger } from 'pino';
import type { LedgerConfig } from '../config/config.js';
import type { Metrics } from '../observe/metrics.js';
import type { Opened } from '../start/opened.js';
import type { Starting } from '../start/starting.js';
import type { Local } from './local.js';

/** What everything behind the surfaces is opened with. */
export interface Setting {
  readonly config: LedgerConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly local: Local;
  readonly starting: Starting;
  /** Takes everything that is opened, and closes it. */
  readonly opened: Opened;
}
