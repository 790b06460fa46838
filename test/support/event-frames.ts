import { Answer, fetchOptions, type HttpRequest } from './http.js';

/** One frame of `text/event-stream`. Comments are kept apart: they are no events. */
export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

/** A stream that says nothing for this long hangs (C18: never over 2 s; generous for a busy machine). */
const silenceLimitMs = 10_000;

/** A stream of server-sent events as a client reads it. */
export class EventFrames {
  readonly comments: string[] = [];
  readonly #frames: AsyncGenerator<Frame>;
  readonly #abort = new AbortController();

  private constructor(
    readonly response: Response,
    abort: AbortController,
  ) {
    this.#abort = abort;
    this.#frames = this.parse();
  }

  /**
   * The stream, or the plain answer where the server refused with something else than an event stream.
   */
  static async open(url: string, request: HttpRequest): Promise<EventFrames | Answer<unknown>> {
    const abort = new AbortController();
    const response = await fetch(
      url,
      fetchOptions({
        ...request,
        headers: { Accept: 'text/event-stream', ...request.headers },
        signal: abort.signal,
      }),
    );
    if (response.headers.get('content-type')?.startsWith('text/event-stream') === true)
      return new EventFrames(response, abort);
    return new Answer(response.status, response.headers, await response.text());
  }

  /** The next frame, or undefined when the server has closed the stream. */
  async next(): Promise<Frame | undefined> {
    const { promise, stop } = silence();
    try {
      const result = await Promise.race([this.#frames.next(), promise]);
      return result.done === true ? undefined : result.value;
    } finally {
      stop();
    }
  }

  /** The next frame, however long it takes. */
  async nextEver(): Promise<Frame | undefined> {
    const result = await this.#frames.next();
    return result.done === true ? undefined : result.value;
  }

  async take(count: number): Promise<Frame[]> {
    const frames: Frame[] = [];
    while (frames.length < count) {
      const frame = await this.next();
      if (frame === undefined)
        throw new Error(`closed after ${String(frames.length)} of ${String(count)} frames`);
      frames.push(frame);
    }
    return frames;
  }

  /** Reads until `until` holds; the frame that made it hold is the last one. */
  async takeUntil(until: (frame: Frame) => boolean): Promise<Frame[]> {
    const frames: Frame[] = [];
    for (;;) {
      const frame = await this.next();
      if (frame === undefined) throw new Error(`closed before it came, after ${JSON.stringify(frames)}`);
      frames.push(frame);
      if (until(frame)) return frames;
    }
  }

  /** Everything until the server closes. */
  async rest(): Promise<Frame[]> {
    const frames: Frame[] = [];
    for (let frame = await this.next(); frame !== undefined; frame = await this.next()) frames.push(frame);
    return frames;
  }

  /** Goes away without a word: the socket is destroyed. */
  destroy(): void {
    this.#abort.abort();
  }

  private async *parse(): AsyncGenerator<Frame> {
    const body = this.response.body;
    if (body === null) return;
    const text = new TextDecoder();
    let rest = '';
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      const blocks = (rest + text.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const frame = this.frameOf(block);
        if (frame !== undefined) yield frame;
      }
    }
  }

  private frameOf(block: string): Frame | undefined {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      if (colon === 0) this.comments.push(line.slice(1).trim());
      if (colon <= 0) continue;
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
      fields.set(name, fields.has(name) ? `${fields.get(name) ?? ''}\n${value}` : value);
    }
    const data = fields.get('data');
    if (data === undefined) return undefined;
    const [id, event] = [fields.get('id'), fields.get('event')];
    return { data, ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }) };
  }
}

const silence = (): { promise: Promise<never>; stop: () => void } => {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`the stream said nothing for ${String(silenceLimitMs)} ms`));
    }, silenceLimitMs);
  });
  return {
    promise,
    stop: () => {
      clearTimeout(timer);
    },
  };
};

/** The stream; fails where the server answered with anything else. */
export const openFrames = async (url: string, request: HttpRequest): Promise<EventFrames> => {
  const opened = await EventFrames.open(url, request);
  if (opened instanceof EventFrames) return opened;
  throw new Error(`expected an event stream, got ${String(opened.status)} ${opened.text}`);
};
