import type { ServerResponse } from 'node:http';

/** Quiet streams get a comment this often, so that no proxy takes them for dead (C19). */
export const heartbeatMs = 15_000;

/** A reader that takes nothing for so long is let go; it resumes by the last id it got. */
export const stalledMsMax = 60_000;

export interface SseFrame {
  /** What `Last-Event-ID` resumes after. */
  readonly id: string;
  /** JSON; one line. */
  readonly data: unknown;
}

/** Server-sent events of the WHATWG standard: one frame, ended by an empty line. */
export const formatFrame = ({ id, data }: SseFrame): string => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;

const heartbeat = ': keep-alive\n\n';

export const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx would otherwise hold frames back until its buffer is full.
  'x-accel-buffering': 'no',
};

/**
 * One open stream on a response. `signal` fires when the client goes, when it stalls, or when the service drains;
 * whoever feeds the stream ends on it, so that nothing is held for a reader that has left.
 */
export class EventStream {
  readonly #ended = new AbortController();

  constructor(
    private readonly response: ServerResponse,
    draining: AbortSignal,
  ) {
    const end = (): void => {
      // The drain signal lives as long as the process: a stream lets go of it when it ends.
      draining.removeEventListener('abort', end);
      this.#ended.abort();
    };
    this.signal.addEventListener('abort', end, { once: true });
    draining.addEventListener('abort', end, { once: true });
    response.once('close', end);
    // A reset connection is an ordinary way to leave; without a listener it would end the process.
    response.on('error', end);
    if (draining.aborted || response.destroyed) end();
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Sends the frames of `source` until it ends or the signal fires, then closes. Errors of the source pass on. */
  async serve(source: AsyncIterable<readonly SseFrame[]>): Promise<void> {
    this.response.writeHead(200, eventStreamHeaders);
    this.response.flushHeaders();
    const beat = setInterval(() => {
      if (!this.response.writableNeedDrain) this.response.write(heartbeat);
    }, heartbeatMs);
    try {
      for await (const frames of source) {
        if (this.signal.aborted || !(await this.#send(frames))) break;
      }
    } finally {
      clearInterval(beat);
      this.#ended.abort();
      this.response.end();
    }
  }

  /** Writes one batch and waits until the client has taken it. False: it is gone, or it was let go. */
  async #send(frames: readonly SseFrame[]): Promise<boolean> {
    const text = frames.map(formatFrame).join('');
    if (text === '' || this.response.write(text)) return true;
    const outcome = await this.#drained();
    // `end` would wait for a reader that does not read.
    if (outcome === 'stalled') this.response.destroy();
    return outcome === 'drained';
  }

  #drained(): Promise<'drained' | 'ended' | 'stalled'> {
    return new Promise((resolve) => {
      const settle = (outcome: 'drained' | 'ended' | 'stalled'): void => {
        clearTimeout(patience);
        this.response.off('drain', onDrain);
        this.signal.removeEventListener('abort', onEnd);
        resolve(outcome);
      };
      const onDrain = (): void => settle('drained');
      const onEnd = (): void => settle('ended');
      const patience = setTimeout(() => settle('stalled'), stalledMsMax);
      this.response.once('drain', onDrain);
      this.signal.addEventListener('abort', onEnd, { once: true });
    });
  }
}
