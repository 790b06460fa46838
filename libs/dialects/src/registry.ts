import { a2a10 } from './a2a-1-0.js';
import type { Dialect, TaskRecord, Told } from './dialect.js';
import { sema } from './sema.js';

const dialects = { 'a2a-1.0': a2a10, sema } as const satisfies Record<string, Dialect>;

export type DialectName = keyof typeof dialects;

/** The dialects that tasks are told in. */
export const dialectNames = Object.keys(dialects) as DialectName[];

export interface Exported extends Told {
  readonly dialect: DialectName;
}

/** The task in another system's words, and what these words lose. */
export const exportTask = (dialect: DialectName, record: TaskRecord): Exported => ({
  dialect,
  ...dialects[dialect](record),
});
