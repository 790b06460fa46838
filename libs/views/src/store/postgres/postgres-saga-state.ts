import type { OpenTrigger, SagaCheckpoint, SagaState } from '#application';
import type { Position } from '#event-store';
import * as statements from '../statements/saga.js';
import type { Connections, Queryable } from './connections.js';
import type { Tables } from './tables.js';

type Mark = Omit<SagaCheckpoint, 'open'>;
type Changes = Parameters<SagaState['save']>[2];

export class PostgresSagaState implements SagaState {
  constructor(
    private readonly tables: Tables,
    private readonly connections: Connections,
  ) {}

  load(): Promise<SagaCheckpoint | undefined> {
    return this.connections.transaction('begin isolation level repeatable read read only', async (on) => {
      const mark = await this.tables.get(on, statements.checkpoint);
      return mark && { ...mark, open: await this.tables.all(on, statements.openTriggers) };
    });
  }

  save(seen: Position | undefined, mark: Mark, changes: Changes): Promise<boolean> {
    return this.connections.transaction('begin', async (on) => {
      if ((await this.#move(on, seen, mark)) !== 1) return false;
      const closed = changes.closed.map((position) => ({ position }));
      await this.tables.changeEach(on, statements.deleteTrigger, closed);
      await this.tables.changeEach(on, statements.putTrigger, onePerPosition(changes.opened));
      return true;
    });
  }

  #move(on: Queryable, seen: Position | undefined, mark: Mark): Promise<number> {
    return seen === undefined
      ? this.tables.change(on, statements.beginCheckpoint, mark)
      : this.tables.change(on, statements.moveCheckpoint, { ...mark, seen });
  }
}

/** The last one of a position, as if they were put one after the other. */
const onePerPosition = (triggers: readonly OpenTrigger[]): readonly OpenTrigger[] => [
  ...new Map(triggers.map((trigger) => [trigger.position, trigger])).values(),
];
