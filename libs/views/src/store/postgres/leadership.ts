import { setTimeout as delay } from 'node:timers/promises';
import {
  type Candidacy,
  type Consumer,
  type Leadership,
  type LedgerLogger,
  silentLogger,
  type Standing,
} from '#application';
import type pg from 'pg';
import { lockKey, LockSession, type LockTimings } from './lock-session.js';

export interface LeadershipTimings extends LockTimings {
  /** A candidate asks for the lock this often at least, each pause shortened by chance. Milliseconds, as everything. */
  readonly askMs: number;
  /** The leader proves this often that its connection stands. */
  readonly proveMs: number;
}

/** A lost connection is noticed after `proveMs + answerMs`, and a leader that vanished is followed within 10 s. */
export const leadershipTimings: LeadershipTimings = {
  connectMs: 4_000,
  answerMs: 2_000,
  idleMs: 5_000,
  askMs: 1_000,
  proveMs: 1_000,
};

export interface PostgresLeadershipOptions {
  /** Where the database is. Connections are made as they are needed, one for each consumer. */
  readonly connection: pg.ClientConfig;
  readonly namespace: string;
  readonly logger?: LedgerLogger;
  readonly timings?: Partial<LeadershipTimings>;
}

interface CandidateParts {
  readonly connection: pg.ClientConfig;
  readonly namespace: string;
  readonly consumer: Consumer;
  readonly lead: (signal: AbortSignal) => Promise<void>;
  readonly logger: LedgerLogger;
  readonly timings: LeadershipTimings;
}

/** Stands for one consumer: asks for its lock, leads while it has it, and asks anew when it was lost. */
class Candidate implements Candidacy {
  readonly #close = new AbortController();
  readonly #ended: Promise<void>;
  #standing: Standing = 'standing-by';
  /** Lines are written when something changes, not for every try of an outage. */
  #isReachable = true;

  constructor(private readonly parts: CandidateParts) {
    this.#ended = this.#run();
  }

  get standing(): Standing {
    return this.#standing;
  }

  async close(): Promise<void> {
    this.#close.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { askMs } = this.parts.timings;
    while (!this.#close.signal.aborted) {
      try {
        await this.#stand();
      } catch (error) {
        this.#unreachable(error);
      }
      await this.#pause(askMs);
    }
  }

  /** On one connection, until it is lost. */
  async #stand(): Promise<void> {
    const { connection, namespace, consumer, timings } = this.parts;
    const session = await LockSession.open(connection, lockKey(namespace, consumer), timings);
    this.#isReachable = true;
    try {
      const over = AbortSignal.any([this.#close.signal, session.lost]);
      while (!over.aborted) {
        if (await session.tryLock()) {
          await this.#lead(session, over);
          return;
        }
        await this.#pause(timings.askMs, over);
      }
    } finally {
      // Only now may another one lead: everything that was led here has ended.
      await session.close();
    }
  }

  async #lead(session: LockSession, over: AbortSignal): Promise<void> {
    const { consumer, lead, logger } = this.parts;
    this.#standing = 'leading';
    logger.info({ consumer }, 'this instance leads now');
    const left = (): void => {
      this.#standing = 'standing-by';
    };
    over.addEventListener('abort', left);
    const proving = this.#prove(session, over);
    try {
      await lead(over);
    } catch (error) {
      logger.error({ err: error, consumer }, 'a consumer of the log ended with an error');
    } finally {
      over.removeEventListener('abort', left);
      left();
      if (session.lost.aborted) logger.warn({ consumer }, 'the lock was lost: this instance stands by');
      await session.close();
      await proving;
    }
  }

  /** A connection on which nothing is said may be gone for minutes before anybody hears of it. */
  async #prove(session: LockSession, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      await delay(this.parts.timings.proveMs, undefined, { signal: over }).catch(() => undefined);
      if (!over.aborted) await session.prove().catch(() => undefined);
    }
  }

  /** Shortened by chance, so that candidates do not ask in step. */
  async #pause(milliseconds: number, signal = this.#close.signal): Promise<void> {
    const shortened = milliseconds * (0.5 + Math.random() / 2);
    await delay(shortened, undefined, { signal }).catch(() => undefined);
  }

  #unreachable(error: unknown): void {
    const { consumer, logger } = this.parts;
    const details = { consumer, error: error instanceof Error ? error.message : String(error) };
    if (this.#isReachable) logger.warn(details, 'the database that says who leads cannot be asked');
    this.#isReachable = false;
  }
}

/**
 * Who leads, by advisory locks of PostgreSQL: one for each consumer of each namespace. A process that ends in any way
 * loses its locks with its connections.
 */
export const openPostgresLeadership = ({
  connection,
  namespace,
  logger = silentLogger,
  timings = {},
}: PostgresLeadershipOptions): Leadership => {
  const candidates = new Set<Candidate>();
  const shared = { connection, namespace, logger, timings: { ...leadershipTimings, ...timings } };
  return {
    stand: (consumer, lead) => {
      const candidate = new Candidate({ ...shared, consumer, lead });
      candidates.add(candidate);
      return candidate;
    },
    close: async () => {
      await Promise.all([...candidates].map((candidate) => candidate.close()));
      candidates.clear();
    },
  };
};
