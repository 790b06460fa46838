import { Inject, Injectable } from '@nestjs/common';
import { streamNames, type Ledger } from '#application';
import { invalid } from '#domain';
import type { EventStore } from '#event-store';
import type { LedgerConfig } from '../config/config.js';
import { CONFIG, LEDGER, STORE } from '../tokens.js';

/** Positions that clients send: each must be one that this log gave out, with an event there. */
@Injectable()
export class LogPositions {
  readonly #prefix: string;

  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(STORE) private readonly store: EventStore,
    @Inject(CONFIG) { namespace }: LedgerConfig,
  ) {
    this.#prefix = streamNames(namespace).prefix;
  }

  /** @throws DomainError `invalid-request` naming the field */
  async check(position: string, field: string): Promise<void> {
    const from = this.ledger.positions.parse(position, field);
    const [event] = await this.store.readAll({ from, limit: 1, prefix: this.#prefix });
    if (event?.position !== from) throw invalid(field, 'no event stands at this position');
  }
}
