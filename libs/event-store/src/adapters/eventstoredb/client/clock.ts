/** The time as calls are measured by, for tests to give another. Milliseconds that only ever rise. */
export interface Clock {
  now(): number;
  /** Calls again and again until the answered function is called; keeps no process alive. */
  every(milliseconds: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  every: (milliseconds, call) => {
    const timer = setInterval(call, milliseconds).unref();
    return () => clearInterval(timer);
  },
};
