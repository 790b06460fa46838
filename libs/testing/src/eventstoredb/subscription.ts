import { behaviours, type Behaviour } from './behaviour.js';
import type { OpenSubscription, ServiceContext } from './context.js';
import { consumerTooSlow, type Failure } from './failures.js';
import type { LogRecord } from './log.js';
import type { Outlet } from './outlet.js';
import { ReadReplies, type IdForm } from './replies.js';
import type { WirePosition } from './requests.js';
import { isAfter, positionOf, type Source } from './sources.js';

/**
 * One catch-up subscription: it reads the log in pages until it runs into the end, says that it caught up, and goes on
 * live. When more is written at once than it holds back, it falls behind and catches up again, or, at an older server
 * and when its consumer does not take what it has, is dropped.
 */
export class CatchUpSubscription implements OpenSubscription {
  readonly #replies: ReadReplies;
  readonly #behaviour: Behaviour;
  #silent: boolean;
  /** Where it began, or the last event or checkpoint sent. */
  #at: WirePosition;
  #lastCheckpoint: WirePosition | undefined;
  #sinceCheckpoint = 0;
  #live = false;
  #wake: (() => void) | undefined;

  constructor(
    private readonly context: ServiceContext,
    private readonly outlet: Outlet,
    private readonly source: Source,
    private readonly names: { readonly id: string; readonly ids: IdForm },
  ) {
    this.#replies = new ReadReplies(context.protocol);
    this.#behaviour = behaviours[context.version];
    this.#silent = context.faults.newSubscriptionsAreSilent;
    this.#at = source.start;
  }

  /** Resolves when it is over. */
  async run(): Promise<void> {
    const { invalidStart } = this.source;
    if (invalidStart?.confirmFirst === false) throw invalidStart.failure;
    const stopListening = this.context.log.listen(() => this.#heard());
    this.context.subscriptions.add(this);
    this.outlet.onClosed(() => this.#heard());
    try {
      await this.#send(this.#replies.confirmation(this.names.id));
      if (invalidStart !== undefined) throw invalidStart.failure;
      await this.#deliver();
    } finally {
      stopListening();
      this.context.subscriptions.delete(this);
    }
  }

  drop(failure: Failure): void {
    this.outlet.fail(failure);
  }

  end(): void {
    this.outlet.end();
  }

  silence(): void {
    this.#silent = true;
  }

  resume(): void {
    this.#silent = false;
    this.#heard();
  }

  async #deliver(): Promise<void> {
    if (this.source.pending() > 0) await this.#catchUp();
    else if (this.source.wasMissing && !this.#behaviour.caughtUpOfNothing) await this.#firstEvent();
    while (!this.outlet.closed) {
      await this.#send(this.#replies.caughtUp());
      this.#live = true;
      await this.#followLive();
      this.#live = false;
      if (!this.outlet.closed) await this.#catchUpAgain();
    }
  }

  /** An older server says nothing of a stream that is missing until it is there. */
  async #firstEvent(): Promise<void> {
    await this.#pending();
    await this.#catchUp();
  }

  async #catchUpAgain(): Promise<void> {
    await this.#checkpoint(this.#at);
    await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    this.#sinceCheckpoint = 0;
    while (!this.outlet.closed) {
      const page = this.source.page();
      for (const record of page.records) await this.#event(record);
      this.#sinceCheckpoint += page.considered;
      if (page.atEnd) {
        if (this.#behaviour.checkpointWhenCaughtUp) await this.#checkpoint(this.#at);
        this.#sinceCheckpoint = 0;
        return;
      }
      const { checkpointInterval = Infinity } = this.source;
      if (this.#sinceCheckpoint >= checkpointInterval) {
        this.#sinceCheckpoint %= checkpointInterval;
        await this.#checkpoint(isAfter(page.start, this.#at) ? page.start : this.#at);
      }
    }
  }

  /** Until more is pending than it holds back. */
  async #followLive(): Promise<void> {
    const { liveBuffer } = this.context.limits;
    while (!this.outlet.closed) {
      await this.#pending();
      if (this.context.slowConsumer === 'catch-up' && this.source.isBehindBy(liveBuffer)) return;
      const next = this.source.next();
      if (next === undefined) continue;
      if (next.wanted) await this.#event(next.record);
      this.#sinceCheckpoint += 1;
      if (this.#sinceCheckpoint >= (this.source.checkpointInterval ?? Infinity)) {
        this.#sinceCheckpoint = 0;
        await this.#checkpoint(positionOf(next.record));
      }
    }
  }

  async #event(record: LogRecord): Promise<void> {
    this.#at = positionOf(record);
    await this.#send(this.#replies.event(record, this.names.ids));
  }

  /** Only filtered subscriptions tell where they are, and never twice the same. */
  async #checkpoint(position: WirePosition): Promise<void> {
    if (this.source.checkpointInterval === undefined) return;
    if (this.#lastCheckpoint !== undefined && !isAfter(position, this.#lastCheckpoint)) return;
    this.#lastCheckpoint = position;
    this.#at = position;
    await this.#send(this.#replies.checkpoint(position));
  }

  async #send(message: Parameters<Outlet['send']>[0]): Promise<void> {
    while (this.#silent && !this.outlet.closed) await this.#change();
    if (!this.outlet.closed) await this.outlet.send(message);
  }

  async #pending(): Promise<void> {
    while (this.source.pending() === 0 && !this.outlet.closed) await this.#change();
  }

  /** Resolves when something was written, or told to this subscription. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #heard(): void {
    const { slowConsumer, limits } = this.context;
    const patience = this.outlet.blocked ? limits.liveBuffer : limits.liveBurst;
    if (slowConsumer === 'drop' && this.#live && this.source.isBehindBy(patience))
      this.drop(consumerTooSlow());
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
