import type { Candidacy, Leadership, Standing } from '#application';
import type { SharedTables, ViewMark } from '../store/index.js';
import { Follower } from './follower.js';
import { ViewKeeper, type KeeperParts } from './view-keeper.js';

export interface KeepingParts extends Omit<KeeperParts, 'look' | 'changed'> {
  readonly leadership: Leadership;
  /** Whether this process may keep the tables at all. */
  readonly projects: boolean;
}

const nothing = (): Promise<void> => Promise.resolve();

/**
 * Who keeps the tables: the process that leads runs a {@link ViewKeeper}. Where several share them, each follows what
 * the leader does, the leader too: tables may be swapped by one that was deposed and does not know it yet.
 */
export class Keeping {
  #keeper: ViewKeeper | undefined;
  #candidacy: Candidacy | undefined;
  readonly #follower: Follower | undefined;
  /** Ends the keeper that runs, for the next one to begin on the tables that serve now. */
  #again: () => void = () => undefined;

  constructor(private readonly parts: KeepingParts) {
    const { shared } = parts.storage;
    this.#follower = shared && this.#followerOf(shared);
  }

  get standing(): Standing {
    return this.#candidacy?.standing ?? 'standing-by';
  }

  start(): void {
    this.#follower?.start();
    if (this.parts.projects)
      this.#candidacy = this.parts.leadership.stand('projector', (signal) => this.#lead(signal));
  }

  /** Of the tables that are being filled, wherever that is done. */
  async filling(): Promise<ViewMark | undefined> {
    const { storage } = this.parts;
    if (this.#keeper !== undefined || storage.shared === undefined) return this.#keeper?.filling?.mark();
    const next = await storage.openNext();
    try {
      return await next?.mark();
    } finally {
      await next?.close();
    }
  }

  /** Begins a filling, or asks whoever leads to begin one. */
  async rebuild(): Promise<void> {
    if (this.#keeper !== undefined) await this.#keeper.rebuild();
    else await this.parts.storage.shared?.askForRebuild();
  }

  async close(): Promise<void> {
    const { serving } = this.parts;
    await this.#candidacy?.close();
    await this.#follower?.close();
    serving.end();
    await serving.database?.close();
  }

  #followerOf(shared: SharedTables): Follower {
    return new Follower({
      ...this.parts,
      shared,
      isLeading: () => this.#keeper !== undefined,
      isSwapping: () => this.#keeper?.isSwapping === true,
      replaced: () => {
        this.#again();
      },
      looked: () => this.#takeUp(shared),
    });
  }

  /** What another instance was asked for. It stays asked for where it could not be begun. */
  async #takeUp(shared: SharedTables): Promise<void> {
    const keeper = this.#keeper;
    if (keeper === undefined || !(await shared.takeRebuildRequest())) return;
    try {
      await keeper.rebuild();
    } catch (error) {
      await shared.askForRebuild();
      throw error;
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const look = (): Promise<void> => this.#follower?.look() ?? nothing();
    while (!signal.aborted) {
      const again = new AbortController();
      this.#again = () => {
        again.abort();
      };
      const keeper = new ViewKeeper({ ...this.parts, look, changed: this.#again });
      this.#keeper = keeper;
      keeper.start();
      await aborted(AbortSignal.any([signal, again.signal]));
      this.#keeper = undefined;
      await keeper.close();
    }
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
