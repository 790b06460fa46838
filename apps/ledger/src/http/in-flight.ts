import type { Server } from 'node:http';

/** Counts the requests that a server has taken and not yet answered. */
export class InFlight {
  #count = 0;
  #waiting: (() => void)[] = [];

  constructor(server: Server) {
    server.on('request', (_, response) => {
      this.#count += 1;
      response.once('close', () => {
        this.#count -= 1;
        if (this.#count === 0) this.#release();
      });
    });
  }

  get count(): number {
    return this.#count;
  }

  /** Waits until none is left, at most so long. Milliseconds. */
  async settled(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      timer = setTimeout(resolve, timeoutMs);
    });
    clearTimeout(timer);
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
