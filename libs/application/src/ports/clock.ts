/** Milliseconds since 1970, of the wall clock; it may jump, in both directions. */
export interface Clock {
  now(): number;
}

/** Where ids and chance come from. */
export interface Ids {
  /** UUIDv7: task ids. */
  taskId(): string;
  /** UUIDv4: event ids, command ids without a key, context ids, cancellation ids. */
  uuid(): string;
  /** In [0, 1): jitter. */
  random(): number;
}
