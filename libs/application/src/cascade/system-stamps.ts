import type { Owned } from '../access/rights.js';
import { systemMetadata } from '../identity/metadata.js';
import { nameBasedUuid } from '../identity/name-based.js';
import { stampOf, type Stamp } from '../identity/stamp.js';

/** Stamps that are kept: the siblings of a cascade share theirs. */
const stampsMax = 1_024;

/** What stands beside the events that the ledger writes for a cancellation, made once for all that share it. */
export class SystemStamps {
  readonly #stamps = new Map<string, Stamp>();

  constructor(private readonly logId: string) {}

  /** @param causeId the event that led to it */
  of(cancellationId: string, causeId: string, owned: Owned): Stamp {
    const key = `${cancellationId} ${causeId}`;
    const kept = this.#stamps.get(key);
    if (kept?.metadata.tenant === owned.tenant && kept.metadata.owner === owned.owner) return kept;
    const commandId = this.#commandId(cancellationId);
    const stamp = stampOf(systemMetadata(owned, { commandId, causeId, correlationId: cancellationId }));
    if (this.#stamps.size >= stampsMax) this.#stamps.clear();
    this.#stamps.set(key, stamp);
    return stamp;
  }

  /** Of what no single event led to. */
  own(cancellationId: string, owned: Owned): Stamp {
    return this.of(cancellationId, this.#commandId(cancellationId), owned);
  }

  #commandId(cancellationId: string): string {
    return nameBasedUuid(['cascade', this.logId, cancellationId]);
  }
}
