import type { Position, RecordedEvent, Revision } from '../../port.js';
import { knownPrefixesMax, knownStreamsMax } from './limits.js';

/**
 * What this process has seen of the log: appends that were acknowledged, events that were read or came by
 * subscription. An answer that knows less comes from a leader that was deposed and has not noticed yet.
 */
export class KnownEvents {
  readonly #revisions = new Map<string, Revision>();
  readonly #heads = new Map<string, Position | undefined>();

  constructor(private readonly streamsMax = knownStreamsMax) {}

  seen({ stream, revision, position }: Pick<RecordedEvent, 'stream' | 'revision' | 'position'>): void {
    this.reached(stream, revision);
    for (const [prefix, head] of this.#heads)
      if ((head === undefined || position > head) && stream.startsWith(prefix))
        this.#heads.set(prefix, position);
  }

  /** The stream is known to go to this revision at least. */
  reached(stream: string, revision: Revision): void {
    const known = this.#revisions.get(stream);
    // Taken out and put in again, so that the one used longest ago is the first.
    if (known !== undefined) this.#revisions.delete(stream);
    this.#revisions.set(stream, Math.max(known ?? revision, revision));
    if (this.#revisions.size <= this.streamsMax) return;
    for (const oldest of this.#revisions.keys()) {
      this.#revisions.delete(oldest);
      break;
    }
  }

  newest(stream: string): Revision | undefined {
    return this.#revisions.get(stream);
  }

  forget(stream: string): void {
    this.#revisions.delete(stream);
  }

  forgetHead(prefix: string): void {
    if (this.#heads.has(prefix)) this.#heads.set(prefix, undefined);
  }

  /** Position of the newest event under the prefix that was seen since the first call with this prefix. */
  head(prefix: string): Position | undefined {
    if (!this.#heads.has(prefix) && this.#heads.size < knownPrefixesMax) this.#heads.set(prefix, undefined);
    return this.#heads.get(prefix);
  }

  /** The same without asking for it from now on. */
  knownHead(prefix: string): Position | undefined {
    return this.#heads.get(prefix);
  }
}
