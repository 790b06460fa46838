import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { foldVersion } from '#domain';
import type { Position } from '#event-store';
import { Projection, type ProjectionParts } from '../projection/projection.js';
import type { ViewDatabase, ViewStorage } from '../store/index.js';
import { belongsToLog } from './log-check.js';
import { sharedRun, type ServingView } from './serving-view.js';

export interface KeeperParts extends ProjectionParts {
  readonly storage: ViewStorage;
  readonly logId: string;
  readonly serving: ServingView;
  /** Puts the tables that serve now in front: where several processes share them, another one may have swapped. */
  readonly look: () => Promise<void>;
  /** Another log stands where this one stood: whoever keeps the tables begins anew. */
  readonly changed: () => void;
}

/** A filling beside the view that serves. */
interface Filling {
  readonly projection: Promise<Projection>;
  readonly database: ViewDatabase;
  /** The newest position known when it began: it may serve once everything up to here is in it. */
  readonly target: Position;
}

const startRetryMs = 500;

/**
 * Keeps the view in step with the log, fills it anew where it must be, and swaps the one for the other: from its start
 * to its close, which is the end of the process or of its leadership.
 */
export class ViewKeeper {
  #live: Projection | undefined;
  #isSwapping = false;
  #filling: Filling | undefined;
  #beginning: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #started: Promise<void> = Promise.resolve();

  constructor(private readonly parts: KeeperParts) {}

  start(): void {
    this.#started = this.#startAlways();
  }

  /** One set of tables takes the other's place just now. */
  get isSwapping(): boolean {
    return this.#isSwapping;
  }

  /** The tables being filled now. */
  get filling(): ViewDatabase | undefined {
    return this.#filling?.database;
  }

  /** Begins a filling beside the live view, unless one is under way. */
  async rebuild(): Promise<void> {
    await this.#started;
    this.#beginning ??= this.#beginFilling().finally(() => {
      this.#beginning = undefined;
    });
    await this.#beginning;
  }

  /** Resolves when no batch is being written any more. The tables that serve are left open. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#started;
    await this.#beginning?.catch(() => undefined);
    const filling = await this.#filling?.projection;
    // In this order: what is being filled may be on its way to become the live one.
    await filling?.stop();
    await this.#live?.stop();
    await this.#filling?.database.close();
  }

  /** The log must answer before anything can be compared with it. */
  async #startAlways(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#startOnce();
        return;
      } catch (error) {
        const details = { error: error instanceof Error ? error.message : String(error) };
        this.parts.logger.warn(details, 'the views cannot start yet');
        await delay(startRetryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #startOnce(): Promise<void> {
    await this.parts.look();
    await this.#startLive();
    await this.#resumeFilling();
    if (this.#live === undefined && this.#filling === undefined) await this.#beginFilling();
  }

  async #startLive(): Promise<void> {
    const { serving } = this.parts;
    const database = serving.database;
    if (database === undefined || this.#live !== undefined) return;
    const mark = await database.mark();
    if (!(await belongsToLog(mark, this.parts))) {
      this.parts.logger.warn({ position: mark.position }, 'the views are of another log and are filled anew');
      serving.withdraw();
      await database.close();
      return;
    }
    this.#live = await this.#follow(database);
  }

  #follow(database: ViewDatabase): Promise<Projection> {
    const { serving } = this.parts;
    return Projection.start(
      this.parts,
      {
        live: () => this.#servingIsLive(),
        advanced: (position) => {
          serving.advanced(position);
        },
        isAwaited: () => serving.isAwaited,
        changed: this.parts.changed,
      },
      database,
    );
  }

  /** A filling that was cut goes on where it stood; one of another log or version is thrown away. */
  async #resumeFilling(): Promise<void> {
    if (this.#filling !== undefined) return;
    const next = await this.parts.storage.openNext();
    if (next === undefined) return;
    if (await belongsToLog(await next.mark(), this.parts)) await this.#fill(next);
    else await next.close();
  }

  async #beginFilling(): Promise<void> {
    if (this.#filling !== undefined || this.#closing.signal.aborted) return;
    const { storage, logId, clock } = this.parts;
    const startedAt = new Date(clock.now()).toISOString();
    await this.#fill(await storage.createNext({ logId, foldVersion, startedAt }));
  }

  async #fill(database: ViewDatabase): Promise<void> {
    // Once it serves, the projection that filled the view is the one that keeps it, beside whatever is filled next.
    const isFilling = (): boolean => this.#filling === filling;
    const projection = Projection.start(
      this.parts,
      {
        live: () => (isFilling() ? this.#fillingIsLive(filling) : this.#servingIsLive()),
        advanced: (position) => {
          if (isFilling()) this.parts.serving.note(position);
          else this.parts.serving.advanced(position);
        },
        isAwaited: () => this.parts.serving.isAwaited,
        changed: this.parts.changed,
      },
      database,
    );
    const filling: Filling = { projection, database, target: this.parts.serving.newestKnown };
    this.#filling = filling;
    try {
      await projection;
    } catch (error) {
      // It never began: whoever wanted it tries again.
      this.#filling = undefined;
      throw error;
    }
  }

  #servingIsLive(): Promise<void> {
    this.parts.serving.caughtUp();
    return Promise.resolve();
  }

  /**
   * Decided by the target alone. How far the view that still serves has come says nothing: where it stands may be
   * wrong, which is why there is a rebuild.
   */
  async #fillingIsLive(filling: Filling): Promise<void> {
    const projection = await filling.projection;
    if (projection.position < filling.target) return;
    if (await this.#complete(filling.database)) await this.#swap(filling, projection);
  }

  /** False when it was cut: the next start does it again. */
  async #complete(database: ViewDatabase): Promise<boolean> {
    for (const step of database.completion()) {
      if (this.#closing.signal.aborted) return false;
      await step();
      await nextTurn();
    }
    return true;
  }

  async #swap({ database }: Filling, projection: Projection): Promise<void> {
    const { serving, storage, logger } = this.parts;
    const live = this.#live;
    this.#isSwapping = true;
    try {
      const run = storage.shared && sharedRun(database);
      await live?.stop();
      await storage.swap(serving.database, database, (served) => {
        projection.moveTo(served);
        this.#live = projection;
        this.#filling = undefined;
        serving.serve(served, projection.position, run);
        serving.caughtUp();
      });
    } catch (error) {
      await this.#goOnAfter(live);
      throw error;
    } finally {
      this.#isSwapping = false;
    }
    const { setAside } = await projection.database.counts();
    logger.info({ position: projection.position, setAside }, 'the views were filled and serve');
  }

  /** The swap failed: the old view is kept in step as before, until the next try. */
  async #goOnAfter(live: Projection | undefined): Promise<void> {
    const { database } = this.parts.serving;
    if (live === undefined || database === undefined || this.#live !== live) return;
    if (!this.#closing.signal.aborted) this.#live = await this.#follow(database);
  }
}
