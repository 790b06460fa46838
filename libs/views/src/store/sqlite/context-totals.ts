import type Database from 'better-sqlite3';
import { sql } from 'kysely';
import { counted, countedOfOwner } from './list-statements.js';
import { type Change, change, kysely, param, type Rows, rows } from './queries.js';
import type { CounterKind } from './tables.js';

/** Up to this many tasks a context is small. */
export const smallContextMax = 32;

export interface Context {
  readonly tenant: string;
  readonly contextId: string;
}

export interface ContextGrowth extends Context {
  readonly owner: string;
  /** That came. */
  readonly tasks: number;
}

const inContext = kysely
  .selectFrom('tasks')
  .where('tenant', '=', param<string>('tenant'))
  .where('context_id', '=', param<string>('contextId'));

/** Counted no further than is needed to tell a large one. */
const countedSmall = kysely
  .selectFrom(
    inContext
      .select('task_id')
      .limit(sql.lit(smallContextMax + 1))
      .as('some'),
  )
  .select(({ fn }) => fn.countAll<number>().as('total'));

/** The owner is hidden from the planner, which would go through all of his tasks. */
const countedSmallOfOwner = inContext
  .select(({ fn }) => fn.countAll<number>().as('total'))
  .where(sql<boolean>`+owner = ${param('owner')}`);

const addToLine = kysely
  .updateTable('counters')
  .set((line) => ({ tasks: line('tasks', '+', param<number>('tasks')) }))
  .where('kind', '=', sql.lit('context' as const))
  .where('tenant', '=', param<string>('tenant'))
  .where('context_id', '=', param<string>('contextId'))
  .where('owner', '=', param<string>('owner'));

const beginLines = kysely
  .insertInto('counters')
  .columns(['kind', 'tenant', 'context_id', 'owner', 'tasks'])
  .expression(
    inContext
      .select(({ fn }) => [
        sql<'context'>`'context'`.as('kind'),
        'tenant',
        'context_id',
        'owner',
        fn.countAll<number>().as('tasks'),
      ])
      .groupBy('owner'),
  )
  .onConflict((conflict) => conflict.doNothing());

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
