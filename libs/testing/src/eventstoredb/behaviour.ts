import type { ServerVersion } from './options.js';

/** What the two lines do differently, as the facts beside the tests have it. */
export interface Behaviour {
  /** What a read of everything says of a position at which no record starts. */
  readonly readAtNoRecord: 'InvalidPosition' | 'Error';
  /** Whether a subscription at such a position is confirmed before it fails. */
  readonly confirmsFirst: boolean;
  /** Whether a filtered subscription tells a checkpoint when it has caught up. */
  readonly checkpointWhenCaughtUp: boolean;
  /** Whether a subscription from beyond the end of the log brings events before that position. */
  readonly bringsBeforeStart: boolean;
  /** Whether a subscription to a missing stream says that it caught up, before the first event. */
  readonly caughtUpOfNothing: boolean;
  readonly slowConsumer: 'drop' | 'catch-up';
}

export const behaviours: Readonly<Record<ServerVersion, Behaviour>> = {
  '24.2.0': {
    readAtNoRecord: 'InvalidPosition',
    confirmsFirst: true,
    checkpointWhenCaughtUp: true,
    bringsBeforeStart: false,
    caughtUpOfNothing: true,
    slowConsumer: 'catch-up',
  },
  '23.10.8': {
    readAtNoRecord: 'Error',
    confirmsFirst: false,
    checkpointWhenCaughtUp: false,
    bringsBeforeStart: true,
    caughtUpOfNothing: false,
    slowConsumer: 'drop',
  },
};
