import type { ServerWritableStream } from '@grpc/grpc-js';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Failure } from './failures.js';
import type { Gate } from './gate.js';

export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;

/** Where the answers of one read or subscription go; waits when the consumer does not take them. */
export class Outlet {
  #closed = false;
  #blocked = false;
  #left: (() => void) | undefined;
  readonly #whenClosed: (() => void)[] = [];

  constructor(
    private readonly call: ReadCall,
    private readonly gate: Gate,
  ) {
    call.on('cancelled', () => this.#close());
    call.on('close', () => this.#close());
  }

  get closed(): boolean {
    return this.#closed || this.call.cancelled;
  }

  /** Whether something was sent that the consumer did not take yet. */
  get blocked(): boolean {
    return this.#blocked;
  }

  onClosed(told: () => void): void {
    this.#whenClosed.push(told);
  }

  /** Resolves when the next may be sent. */
  async send(message: streams.ReadResp): Promise<void> {
    if (!this.gate.isOpen) await this.#mayLeave();
    if (this.closed || this.call.write(message)) return;
    this.#blocked = true;
    await this.#drained();
    this.#blocked = false;
  }

  end(): void {
    if (!this.closed) this.gate.leave(() => this.call.end());
  }

  fail(failure: Failure): void {
    if (this.closed) return;
    this.#closed = true;
    this.gate.leave(() => this.call.emit('error', failure));
    this.#tell();
  }

  #mayLeave(): Promise<void> {
    return new Promise((resolve) => {
      this.#left = resolve;
      this.gate.leave(resolve);
    });
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.call.off('drain', done);
        resolve();
      };
      this.call.on('drain', done);
      this.#left = done;
    });
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#tell();
  }

  #tell(): void {
    this.#left?.();
    for (const told of this.#whenClosed.splice(0)) told();
  }
}
