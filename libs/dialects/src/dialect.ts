import type { JsonObject, LedgerRow, Loss, Task, TaskDocument } from '#domain';

/** A task as every dialect may tell it: its fold, its content and its row, all of one revision. */
export interface TaskRecord {
  readonly task: Task;
  readonly document: TaskDocument;
  readonly row: LedgerRow;
}

export interface Told {
  readonly value: JsonObject;
  /** What the ledger holds and the value does not say. */
  readonly losses: readonly Loss[];
}

/** One neighbour's way to write a task. */
export type Dialect = (record: TaskRecord) => Told;

/** The losses of those `fields` that the record has. */
export const lossesOf = (
  notes: Readonly<Record<string, string>>,
  has: (field: string) => boolean,
): readonly Loss[] =>
  Object.entries(notes)
    .filter(([field]) => has(field))
    .map(([field, note]) => ({ field, note }));
