import { type AppendResult, type ExpectedRevision, type NewEvent, OutcomeUnknownError } from '#event-store';
import { StoreInFront } from '#testing';

/** A store whose replies can be lost after the commit, and that others write to in between (C36). */
export class FailingStore extends StoreInFront {
  /** Called before each append of the ledger: somebody else's chance. */
  beforeAppend: (stream: string) => Promise<void> = () => Promise.resolve();
  #lost = 0;

  /** The replies of the next `count` appends get lost; the appends are committed. */
  loseReplies(count: number): void {
    this.#lost = count;
  }

  override async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    await this.beforeAppend(stream);
    const result = await super.append(stream, events, expected);
    if (this.#lost === 0) return result;
    this.#lost -= 1;
    throw new OutcomeUnknownError(`the reply to an append to ${stream} got lost`);
  }
}
