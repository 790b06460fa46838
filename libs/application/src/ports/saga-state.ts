import type { Position } from '#event-store';

/** An event whose consequences are not all appended. */
export interface OpenTrigger {
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
}

export interface SagaCheckpoint {
  /** Of the last event that the saga has taken up, and its id. */
  readonly position: Position;
  readonly eventId: string;
  readonly logId: string;
  /** In log order. */
  readonly open: readonly OpenTrigger[];
}

/**
 * How far the saga has come: durable, never touched by a rebuild of the views. Lost, the saga starts at 0 and finds
 * everything done.
 */
export interface SagaState {
  load(): Promise<SagaCheckpoint | undefined>;
  /**
   * Moves the checkpoint on and changes the open set, in one transaction; false, and nothing written, when it does not
   * stand at `seen` (undefined: when there is one at all): another runner moved it.
   */
  save(
    seen: Position | undefined,
    mark: { readonly position: Position; readonly eventId: string; readonly logId: string },
    changes: { readonly opened: readonly OpenTrigger[]; readonly closed: readonly Position[] },
  ): Promise<boolean>;
}
