import type { LedgerLogger, OpenTrigger, SagaCheckpoint, SagaState } from '#application';
import { toPosition, type EventStore, type Position } from '#event-store';
import { textOf } from '../work/calls.js';
import { OpenSet } from './open-set.js';

/** Before the first event of every log. */
export const beforeAll: Position = toPosition(0);

/** Pause between two saves at least: a position that is lost is read again, nothing else. Milliseconds. */
export const savePauseMs = 250;

export interface CheckpointParts {
  readonly state: SagaState;
  readonly store: EventStore;
  readonly prefix: string;
  readonly logId: string;
  readonly logger: LedgerLogger;
}

/** Whether the checkpoint is of this very log: a log put back from a backup, or exchanged, is read from its start. */
const belongsToLog = async (
  { position, eventId, logId }: SagaCheckpoint,
  { store, prefix, logId: ours }: CheckpointParts,
): Promise<boolean> => {
  if (logId !== ours) return false;
  if (position === beforeAll) return true;
  const [event] = await store.readAll({ from: position, limit: 1, prefix });
  return event?.position === position && event.id === eventId;
};

/** Another runner moved the checkpoint on. */
export class OvertakenError extends Error {
  constructor() {
    super('another runner has moved the checkpoint');
  }
}

/** How far the saga has come, kept in the state as it moves on. */
export class Checkpoint {
  #position: Position;
  #eventId: string;
  /** Where the state stands. */
  #seen: Position | undefined;
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly parts: CheckpointParts,
    /** Open at the last save; to be taken up again. */
    readonly resumed: readonly OpenTrigger[],
    readonly open: OpenSet,
    stands: { readonly seen?: Position; readonly position: Position; readonly eventId: string },
    private readonly overtaken: () => void,
  ) {
    this.#seen = stands.seen;
    this.#position = stands.position;
    this.#eventId = stands.eventId;
  }

  /** @param overtaken called once another runner is found to have moved the checkpoint */
  static async load(parts: CheckpointParts, overtaken: () => void): Promise<Checkpoint> {
    const found = await parts.state.load();
    const open = new OpenSet(found?.open.map(({ position }) => position) ?? []);
    const start = { position: beforeAll, eventId: '' };
    if (found === undefined) return new Checkpoint(parts, [], open, start, overtaken);
    const { position, eventId } = found;
    if (await belongsToLog(found, parts))
      return new Checkpoint(parts, found.open, open, { seen: position, position, eventId }, overtaken);
    parts.logger.warn(
      { position },
      'the checkpoint of the saga is of another log: it is read from its start',
    );
    const foreign = new Checkpoint(parts, [], open, { seen: position, ...start }, overtaken);
    // Positions of the other log go before those of this one come.
    await foreign.#save();
    return foreign;
  }

  /** Of the last event that was taken up. */
  get position(): Position {
    return this.#position;
  }

  moveTo(position: Position, eventId: string): void {
    this.#position = position;
    this.#eventId = eventId;
    this.soon();
  }

  /** Saves before long. */
  soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.save();
    }, savePauseMs);
  }

  /** Saves what is not saved yet. A state that is away is tried again later, for nothing rests on it. */
  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#saveSafely());
    return this.#saving;
  }

  /** The last save of this runner. */
  async close(): Promise<void> {
    await this.save();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #saveSafely(): Promise<void> {
    try {
      await this.#save();
    } catch (error) {
      if (error instanceof OvertakenError) {
        this.overtaken();
        return;
      }
      this.parts.logger.warn({ error: textOf(error) }, 'the checkpoint of the saga could not be saved');
      this.soon();
    }
  }

  async #save(): Promise<void> {
    const { state, logId } = this.parts;
    const position = this.#position;
    if (!this.open.isChanged && position === this.#seen) return;
    const { opened, closed, saved, failed } = this.open.changes();
    if (position === this.#seen && opened.length === 0 && closed.length === 0) return;
    try {
      const mark = { position, eventId: this.#eventId, logId };
      if (!(await state.save(this.#seen, mark, { opened, closed }))) throw new OvertakenError();
    } catch (error) {
      failed();
      throw error;
    }
    saved();
    this.#seen = position;
  }
}
