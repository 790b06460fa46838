import { setMaxListeners } from 'node:events';

/** The service's end, told to everything that waits: streams end cleanly and blocked sends answer. */
export class Drain {
  readonly #controller = new AbortController();

  constructor() {
    // Every open stream and wait listens; that is no leak.
    setMaxListeners(0, this.#controller.signal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get draining(): boolean {
    return this.#controller.signal.aborted;
  }

  begin(): void {
    this.#controller.abort();
  }
}
