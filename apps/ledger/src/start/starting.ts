import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DomainError } from '#domain';
import { OutcomeUnknownError, StoreUnavailableError } from '#event-store';
import { StorageUnavailableError } from '#views';
import { reasonOf } from '../reason.js';

/** Pauses between two tries, milliseconds: they double, and are spread, so that instances do not come all at once. */
const pauseMsLeast = 100;
const pauseMsMost = 2_000;

/** Whoever started the service stops it before it could serve. */
export class StartStoppedError extends Error {
  constructor() {
    super('the start was called off');
  }

  override get name(): string {
    return 'StartStoppedError';
  }
}

/** A server that may come; everything else that stops a start is for somebody to repair. */
const mayCome = (error: unknown): boolean =>
  error instanceof StoreUnavailableError ||
  error instanceof OutcomeUnknownError ||
  error instanceof StorageUnavailableError ||
  (error instanceof DomainError && error.code === 'unavailable');

const pauseMs = (attempt: number): number =>
  Math.min(pauseMsMost, pauseMsLeast * 2 ** Math.min(attempt, 16)) * (0.5 + Math.random() / 2);

/** A start that may take as long as the servers it needs: what it waits for is told to whoever asks. */
export class Starting {
  readonly #waits = new Map<string, string>();
  readonly #off = new AbortController();

  /** `stop` calls the start off. */
  constructor(
    private readonly logger: Logger,
    stop?: AbortSignal,
  ) {
    const end = (): void => {
      this.callOff(new StartStoppedError());
    };
    if (stop?.aborted === true) end();
    stop?.addEventListener('abort', end, { once: true });
  }

  /** Why the service does not serve yet. */
  get reasons(): readonly string[] {
    const waits = [...this.#waits].map(([what, why]) => `waiting for ${what}: ${why}`);
    return waits.length === 0 ? ['the service is starting'] : waits;
  }

  /**
   * Tries for ever, and answers what was opened.
   * @throws what can never work as it is set, or why the start was called off
   */
  async until<Part>(what: string, open: () => Promise<Part>): Promise<Part> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const part = await open();
        this.#came(what);
        return part;
      } catch (error) {
        this.goOn();
        if (!mayCome(error)) throw error;
        this.#waitsFor(what, reasonOf(error));
      }
      await delay(pauseMs(attempt), undefined, { signal: this.#off.signal }).catch(() => undefined);
      this.goOn();
    }
  }

  /** Waits for nothing any more; the first reason counts. */
  callOff(reason: unknown): void {
    this.#off.abort(reason);
  }

  get isOff(): boolean {
    return this.#off.signal.aborted;
  }

  /** @throws why the start was called off */
  goOn(): void {
    this.#off.signal.throwIfAborted();
  }

  #waitsFor(what: string, why: string): void {
    if (this.#waits.get(what) !== why) this.logger.warn({ why }, `waiting for ${what}`);
    this.#waits.set(what, why);
  }

  #came(what: string): void {
    if (this.#waits.delete(what)) this.logger.info(`${what} is there`);
  }
}
