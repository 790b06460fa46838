import { unavailable } from './failures.js';

/** Commands that may wait for one stream; one more is told to come again. */
export const waitingMax = 1_000;

/** One command at a time for a stream, in the order they came; streams do not wait for each other. */
export class StreamQueues {
  /** Who waits, by stream; a stream is here while a command of it runs. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** @throws DomainError `unavailable` when the queue is full */
  async run<Result>(stream: string, work: () => Promise<Result>): Promise<Result> {
    await this.#turn(stream);
    try {
      return await work();
    } finally {
      this.#next(stream);
    }
  }

  #turn(stream: string): Promise<void> | undefined {
    const waiting = this.#waiting.get(stream);
    if (waiting === undefined) {
      this.#waiting.set(stream, []);
      return undefined;
    }
    if (waiting.length >= waitingMax)
      throw unavailable(`${String(waitingMax)} commands already wait for this task`);
    return new Promise((resolve) => waiting.push(resolve));
  }

  #next(stream: string): void {
    const next = this.#waiting.get(stream)?.shift();
    if (next === undefined) this.#waiting.delete(stream);
    else next();
  }
}
