import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerLogger } from '#application';
import type { EventStore, Position } from '#event-store';
import type { SharedTables, ViewMark, ViewStorage } from '../store/index.js';
import { belongsToLog } from './log-check.js';
import { sharedRun, type ServingView } from './serving-view.js';

/** How often the tables are looked at: when nobody waits, when somebody does, and at least between two looks. */
export const lookMs = 250;
export const awaitedLookMs = 25;
const betweenLooksMs = 5;

export interface FollowerParts {
  readonly storage: ViewStorage;
  readonly shared: SharedTables;
  readonly serving: ServingView;
  readonly store: EventStore;
  readonly namespace: string;
  readonly logId: string;
  readonly logger: LedgerLogger;
  /** This process moves the tables on itself, and knows how far they are: then looks are for what others do. */
  readonly isLeading: () => boolean;
  readonly isSwapping: () => boolean;
  /** Tables that this process did not put there have begun to serve. */
  readonly replaced: () => void;
  /** After every look. */
  readonly looked: () => Promise<void>;
}

/** Serves from tables that another process keeps: learns how far they are, and when others have taken their place. */
export class Follower {
  readonly #close = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #looking: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  /** Told of a change since the last look began. */
  #isTold = false;
  #unsubscribe: () => void = () => undefined;
  /** What the log's end was when this process began: the tables are in step with it once they are there. */
  #target: Position | undefined;
  #isReachable = true;
  /** Tables of another log or version are looked at again when they are replaced. */
  #refused: string | undefined;

  constructor(private readonly parts: FollowerParts) {}

  start(): void {
    const told = (): void => {
      if (this.parts.isLeading()) return;
      this.#isTold = true;
      this.#wake();
    };
    this.parts.serving.onWait(told);
    this.#unsubscribe = this.parts.shared.onChange(told);
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#close.abort();
    this.#unsubscribe();
    this.#wake();
    await this.#running;
  }

  /** One look now; with the one that is under way, if there is one. @throws what the database throws */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #run(): Promise<void> {
    const { signal } = this.#close;
    while (!signal.aborted) {
      this.#isTold = false;
      try {
        await this.look();
        await this.parts.looked();
        this.#isReachable = true;
      } catch (error) {
        this.#unreachable(error);
      }
      await this.#pause(signal);
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { serving, isLeading } = this.parts;
    const woken = new AbortController();
    this.#wake = () => {
      woken.abort();
    };
    const longest = serving.isAwaited && !isLeading() ? awaitedLookMs : lookMs;
    const over = AbortSignal.any([signal, woken.signal]);
    await delay(betweenLooksMs, undefined, { signal }).catch(() => undefined);
    if (!this.#isTold) await delay(longest, undefined, { signal: over }).catch(() => undefined);
  }

  async #look(): Promise<void> {
    const { serving, isSwapping } = this.parts;
    if (isSwapping()) return;
    const { database } = serving;
    const mark = await database?.mark();
    if (mark?.generation !== serving.run.id) await this.#reopen();
    else if (mark.position > serving.position) serving.advanced(mark.position);
    await this.#catchUp();
  }

  async #reopen(): Promise<void> {
    const { serving, storage, replaced, isSwapping } = this.parts;
    const before = serving.database;
    const database = await storage.openLive();
    if (database === undefined) return;
    const mark = await database.mark();
    if (!(await this.#fits(mark))) {
      if (before !== undefined) serving.withdraw();
      await Promise.all([before?.close(), database.close()]);
      return;
    }
    // Meanwhile this process may have put them there itself, or be about to.
    if (serving.run.id === database.generation || isSwapping()) return database.close();
    serving.serve(database, mark.position, sharedRun(database));
    replaced();
    await before?.close();
  }

  async #fits(mark: ViewMark): Promise<boolean> {
    if (mark.generation === this.#refused) return false;
    const fits = await belongsToLog(mark, this.parts);
    this.#refused = fits ? undefined : mark.generation;
    if (!fits)
      this.parts.logger.warn(
        { position: mark.position },
        'the views are of another log or version: lists wait until the leader has filled them anew',
      );
    return fits;
  }

  /** While the log is away nobody knows whether the tables are in step with it. */
  async #catchUp(): Promise<void> {
    const { serving, store, namespace } = this.parts;
    if (serving.ready || serving.database === undefined) return;
    try {
      this.#target ??= (await store.head(`${namespace}.`)) ?? '';
    } catch {
      return;
    }
    if (serving.position >= this.#target) serving.caughtUp();
  }

  #unreachable(error: unknown): void {
    const details = { error: error instanceof Error ? error.message : String(error) };
    if (this.#isReachable && !this.#close.signal.aborted)
      this.parts.logger.warn(details, 'the tables of the views cannot be looked at');
    this.#isReachable = false;
  }
}
