import type Database from 'better-sqlite3';
import type { CounterKind } from '../schema/view-tables.js';
import {
  addToLine,
  beginLines,
  type Context,
  type ContextGrowth,
  countedSmall,
  countedSmallOfOwner,
  smallContextMax,
} from '../statements/context-totals.js';
import { counted, countedOfOwner } from '../statements/lists.js';
import { type Change, change, type Rows, rows } from './queries.js';

interface Line extends Context {
  readonly kind: CounterKind;
}

/**
 * Totals of contexts. Most contexts are small, and are counted when somebody asks: a line for each would be one more
 * page to write for nearly every new task. A large one has lines, one an owner.
 */
export class ContextTotals {
  readonly #small: Rows<Context, { total: number }>;
  readonly #smallOfOwner: Rows<Context & { readonly owner: string }, { total: number }>;
  readonly #large: Rows<Line, { total: number | null }>;
  readonly #largeOfOwner: Rows<Line & { readonly owner: string }, { total: number | null }>;
  readonly #addToLine: Change<ContextGrowth>;
  readonly #beginLines: Change<Context>;

  constructor(database: Database.Database) {
    this.#small = rows(database, countedSmall);
    this.#smallOfOwner = rows(database, countedSmallOfOwner);
    this.#large = rows(database, counted);
    this.#largeOfOwner = rows(database, countedOfOwner);
    this.#addToLine = change(database, addToLine);
    this.#beginLines = change(database, beginLines);
  }

  of(context: Context, owner: string | undefined): number {
    const total = this.#sizeOf(context);
    if (total <= smallContextMax)
      return owner === undefined ? total : (this.#smallOfOwner.get({ ...context, owner })?.total ?? 0);
    const line = { kind: 'context', ...context } as const;
    const large = owner === undefined ? this.#large.get(line) : this.#largeOfOwner.get({ ...line, owner });
    return large?.total ?? 0;
  }

  /** New tasks are in the table already: lines that begin count them, lines that are there get what came. */
  add(grown: readonly ContextGrowth[]): void {
    const without = grown.filter((growth) => this.#addToLine(growth) === 0);
    for (const { tenant, contextId } of without) {
      const context = { tenant, contextId };
      if (this.#sizeOf(context) > smallContextMax) this.#beginLines(context);
    }
  }

  #sizeOf(context: Context): number {
    return this.#small.get(context)?.total ?? 0;
  }
}
