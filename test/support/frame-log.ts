import type { EventFrames, Frame } from './event-frames.js';
import { eventually } from './waiting.js';

/** Reads a stream in the background for as long as it stays open, and keeps what came. */
export class FrameLog {
  readonly frames: Frame[] = [];
  #closed = false;

  constructor(private readonly stream: EventFrames) {
    void this.#read();
  }

  /** Whether the server has closed the stream, or it was lost. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves once a frame came that holds this text. */
  async holds(text: string, limitMs?: number): Promise<void> {
    await eventually(
      `a frame with ${text}`,
      () => Promise.resolve(this.frames.some(({ data }) => data.includes(text)) ? true : undefined),
      limitMs,
    );
  }

  /** Goes away. */
  destroy(): void {
    this.stream.destroy();
  }

  async #read(): Promise<void> {
    try {
      for (
        let frame = await this.stream.nextEver();
        frame !== undefined;
        frame = await this.stream.nextEver()
      )
        this.frames.push(frame);
    } catch {
      // Cut: it is closed, which is all there is to say.
    }
    this.#closed = true;
  }
}
