/** What the embedded store may hold, wait for and hand out at once. */

/** Appends that wait for the commit thread; beyond it the store is unavailable. */
export const queueAppendsMax = 10_000;
/** Bytes (UTF-16 units of the texts) that wait for it. */
export const queueBytesMax = 64 * 1_048_576;
/** Appends and texts (UTF-16 units) of one message to the commit thread; one append may be larger. */
export const batchAppendsMax = 256;
export const batchBytesMax = 4 * 1_048_576;
/** Messages under way at once; the commit thread makes one transaction of those it finds. */
export const batchesInFlightMax = 8;
/** A transaction takes no further message from this many appends on. */
export const transactionAppendsMax = 256;

/** How long a commit waits for another connection's write lock. */
export const busyMillisecondsDefault = 10_000;
/** How long a read waits; readers beside a writer have nothing to wait for, but for a moment while a file is opened. */
export const readBusyMilliseconds = 1_000;
/** How long a start waits for the process that has the folder. */
export const lockMillisecondsDefault = 5_000;
/** A store that cannot write tries again this often, so that its health says when it can. */
export const probeMilliseconds = 1_000;
/** A commit thread that died is started again after this. */
export const restartMilliseconds = 1_000;

/** Texts of the newest events kept in memory for live subscribers (UTF-16 units). */
export const recentBytesMax = 4 * 1_048_576;
/** Texts of one page that a subscription reads (UTF-16 units); at least one event is read. */
export const pageBytesMax = 4 * 1_048_576;
/** Positions looked at by one statement, so that a scan over foreign streams never holds the event loop. */
export const scanPositionsMax = 8_192;
/** Streams whose last revision the commit thread remembers. */
export const knownStreamsMax = 20_000;

/** The write-ahead log is copied into the file at every this many pages of 4 KiB … */
export const checkpointPages = 8_000;
/** … is cut back to this size when it starts over … */
export const walBytesKept = 64 * 1_048_576;
/** … and is emptied by force when readers kept it from starting over for so long that it has grown to this. */
export const walBytesMax = 256 * 1_048_576;
/** How often, in commits, its size is looked at. */
export const walCheckCommits = 64;
/** How long the emptying waits for readers. */
export const truncateBusyMilliseconds = 1_000;

/** Page caches, KiB. Appends touch the right edge of three trees, reads mostly what was just written. */
export const writerCacheKib = 8_192;
export const readerCacheKib = 8_192;
