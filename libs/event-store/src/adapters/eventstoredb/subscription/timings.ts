/** How long subscriptions wait for what. Milliseconds. */
export interface SubscriptionTimings {
  /** First pause before a lost subscription is opened again; it doubles, with jitter, up to `retryMax`. */
  readonly retry: number;
  readonly retryMax: number;
  /** A subscription that has brought nothing for this long is compared with the log, again and again. */
  readonly check: number;
  /** An event that stands in the log for this long and has not been delivered: the subscription is silent. */
  readonly undelivered: number;
  /** A subscription that has not come to the end of the log brings something at least this often. */
  readonly stalled: number;
  /** A scan that brought nothing for us is confirmed by an event that was read, this often at most. */
  readonly anchor: number;
  /** A batch that is not full is handed over when nothing has come for this long, or when nothing is left. */
  readonly gather: number;
  /** A consumer that catches up and does not come back for more for this long gives way to others. */
  readonly idle: number;
  /** Appends wait this long at most while a subscription from the end looks where that is. */
  readonly endHeld: number;
}

/** An event that is not delivered is noticed within `check` + `undelivered`, which is under 5 s. */
export const subscriptionTimings: SubscriptionTimings = {
  retry: 50,
  retryMax: 1_000,
  check: 1_000,
  undelivered: 3_000,
  stalled: 5_000,
  anchor: 30_000,
  gather: 20,
  idle: 5_000,
  endHeld: 250,
};

/** Events of one read that compares a subscription with the log. */
export const checkedEventsMax = 500;

/** A position at which the log has another event is asked for this often before it is believed: a leader that was
 * deposed answers from its old log for a moment. */
export const logCheckAttempts = 4;

/** What a subscription that catches up holds for its consumer: events, and UTF-16 units of text. */
export const inboxEventsMax = 1_000;
export const inboxTextMax = 4 * 1024 * 1024;

/** What is kept of the newest events for all subscriptions of a prefix: events, and UTF-16 units of text. */
export const recentEventsMax = 4_096;
export const recentTextMax = 4 * 1024 * 1024;

/** Server subscriptions that catch up at the same time; a connection carries a hundred calls. */
export const catchUpsMax = 32;

/** Sessions on one client that ended one after the other without having brought anything, before it is left. */
export const sessionsPerClientMax = 3;
