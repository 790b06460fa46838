/** How long the adapter waits for what. Milliseconds; tests give shorter ones. */
export interface StoreTimings {
  /** An append or a read is given up after this and one look, whatever was tried: 8 s at most. */
  readonly call: number;
  /** An append without an answer is sent once more, with the same ids, after this. */
  readonly appendAttempt: number;
  /** A read without an answer is cancelled and asked again after this. */
  readonly readAttempt: number;
  /**
   * A client from which nothing came for this long while a call waits is left. Where one after the other brought
   * nothing the second is given two thirds of this, the third as much, the next ones two and four times as much: a
   * leader that hangs is got rid of soon, and a server that is slow to start is not given up for ever.
   */
  readonly silence: number;
  /** A client whose appends (or whose reads) get no answer for this long, though the others do, is left. */
  readonly silenceOfOneKind: number;
  /** How often waiting calls are looked at. A look that comes later than twice this was held up by this process. */
  readonly look: number;
  /** A call that begins while the server is away waits this long for its return. */
  readonly away: number;
  /** Pause between two questions whether a server that is away is back: it doubles from the first to the last. */
  readonly probe: number;
  readonly probeMax: number;
  /** One such question; longer than any silence that ends it. */
  readonly probeCall: number;
  /** Pause before a call is tried again: it doubles from the first to the last, half of it by chance. */
  readonly retry: number;
  readonly retryMax: number;
  /** Pauses after an answer that ends before what this process knows; when they are used up it is believed. */
  readonly staleAnswers: readonly number[];
  /** A client that is left has this long to let go. */
  readonly dispose: number;
  /** Health says what kept the last append from being taken for this long. */
  readonly trouble: number;
  /** A scan back for the newest event under a prefix. */
  readonly headScan: number;
  /** The check at the start: the call to the database, and each of our own connections. */
  readonly start: number;
  /** A close waits this long for the appends under way. */
  readonly close: number;
}

export const storeTimings: StoreTimings = {
  call: 7_700,
  appendAttempt: 3_000,
  readAttempt: 5_000,
  silence: 3_000,
  silenceOfOneKind: 5_000,
  look: 250,
  away: 800,
  probe: 100,
  probeMax: 1_000,
  probeCall: 15_000,
  retry: 25,
  retryMax: 500,
  staleAnswers: [0, 250, 750, 1_500, 2_500],
  dispose: 1_000,
  trouble: 5_000,
  headScan: 2_000,
  start: 3_000,
  close: 5_000,
};

/**
 * The wire deadline of an append. It travels as a point in time, so that a short one would make a clock that is behind
 * the server's refuse every append; how long we wait is our own timer.
 */
export const wireDeadlineMilliseconds = 300_000;

/** Seconds a client waits for a node's gossip: a hung node must not hold up the way to the next. */
export const gossipTimeoutSeconds = 1;

/** Appends on the wire at once; more wait their turn. */
export const appendsOnWireMax = 256;
/** Appends taken at once, on the wire or waiting; beyond it the store is unavailable. */
export const appendsTakenMax = 10_000;
/** The same in UTF-16 units of their texts. */
export const appendsTakenTextMax = 64 * 1_048_576;

/** Reads on the wire at once, for a connection carries a hundred calls, subscriptions among them; more wait. */
export const readsOnWireMax = 48;
/** Reads taken at once, on the wire or waiting; beyond it the store is unavailable. */
export const readsTakenMax = 5_000;

/** Streams whose newest known revision is remembered, the least recently used forgotten first. */
export const knownStreamsMax = 50_000;
/** Prefixes whose newest known position is kept. */
export const knownPrefixesMax = 16;
