import { setTimeout as delay } from 'node:timers/promises';
import type { Candidacy, Consumer, Leadership, Standing } from './leadership.js';
import { silentLogger, type LedgerLogger } from './telemetry.js';

/** Pause before a consumer is begun anew that ended by itself. Milliseconds. */
const againMs = 1_000;

class Lead implements Candidacy {
  readonly #close = new AbortController();
  readonly #ended: Promise<void>;

  constructor(
    private readonly consumer: Consumer,
    private readonly lead: (signal: AbortSignal) => Promise<void>,
    private readonly logger: LedgerLogger,
  ) {
    this.#ended = this.#run();
  }

  get standing(): Standing {
    return this.#close.signal.aborted ? 'standing-by' : 'leading';
  }

  async close(): Promise<void> {
    this.#close.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#close;
    while (!signal.aborted) {
      try {
        await this.lead(signal);
      } catch (error) {
        this.logger.error(
          { err: error, consumer: this.consumer },
          'a consumer of the log ended with an error',
        );
      }
      // Closing ends the pause too.
      await delay(againMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** For the one process that a log, its views and its state belong to: it leads at once, whatever it stands for. */
export const aloneLeadership = (logger: LedgerLogger = silentLogger): Leadership => {
  const leads = new Set<Lead>();
  return {
    stand: (consumer, lead) => {
      const candidacy = new Lead(consumer, lead, logger);
      leads.add(candidacy);
      return candidacy;
    },
    close: async () => {
      await Promise.all([...leads].map((lead) => lead.close()));
      leads.clear();
    },
  };
};
