import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerApi } from './ledger-api.js';
import { userMessage } from './messages.js';

const everyMs = 10;
/** A write that is not accepted by then never will be. */
const patienceMs = 60_000;

/**
 * Writes messages to a few tasks, a hundred a second while it is accepted, each until it is accepted: as a client does
 * that keeps its key. Every answer that is no success must be a 503 that says when to come back.
 */
export class SteadyWriter {
  /** Ids of messages that were accepted. */
  readonly accepted: string[] = [];
  /** Answers that were neither a success nor a 503 with `Retry-After`, and what was never accepted. */
  readonly unexpected: string[] = [];
  #over = false;
  #abandoned = false;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly api: LedgerApi,
    private readonly taskIds: readonly string[],
  ) {}

  start(): void {
    this.#running = this.#write();
    // Whoever stops hears of it.
    this.#running.catch(() => undefined);
  }

  /** Begins nothing more; resolves when everything that was begun is accepted. */
  async stop(): Promise<void> {
    this.#over = true;
    await this.#running;
  }

  /** Leaves everything as it is. */
  abandon(): void {
    this.#over = true;
    this.#abandoned = true;
  }

  async #write(): Promise<void> {
    const writes: Promise<void>[] = [];
    for (let index = 0; !this.#over; index += 1) {
      writes.push(this.#untilAccepted(`w${String(index)}`, this.taskIds[index % this.taskIds.length] ?? ''));
      await delay(everyMs);
    }
    await Promise.all(writes);
  }

  async #untilAccepted(messageId: string, taskId: string): Promise<void> {
    const end = Date.now() + patienceMs;
    while (Date.now() < end && !this.#abandoned) {
      const message = userMessage(messageId, { messageId });
      const answer = await this.api.message(taskId, message, { 'Idempotency-Key': messageId });
      if (answer.status === 200) {
        this.accepted.push(messageId);
        return;
      }
      this.#note(answer.status, answer.headers.get('retry-after'), answer.text);
      await delay(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
    }
    this.unexpected.push(`${messageId} was never accepted`);
  }

  #note(status: number, retryAfter: string | null, text: string): void {
    if (status !== 503 || retryAfter === null) this.unexpected.push(`${String(status)} ${text}`);
  }
}
