import type { LedgerLogger } from '#application';
import type { RecordedEvent } from '#event-store';
import type { CascadeEnd } from '../cascades/cascade.js';
import type { Cascades } from '../cascades/cascades.js';
import type { OpenSet } from '../runner/open-set.js';
import type { SagaMetrics } from '../telemetry.js';
import type { Busy } from '../work/busy.js';
import { textOf } from '../work/calls.js';
import { StoppedError } from '../work/stopped-error.js';
import type { Beginning, Beginnings } from './beginnings.js';
import type { LateLinks } from './late-links.js';
import type { LinkRepairs } from './link-repairs.js';
import type { Meaning } from './meaning.js';

export interface TriggersParts {
  readonly open: OpenSet;
  readonly beginnings: Beginnings;
  readonly links: LinkRepairs;
  readonly late: LateLinks;
  readonly cascades: Cascades;
  readonly busy: Busy;
  readonly logger: LedgerLogger;
  readonly metrics: SagaMetrics;
}

/** What is left when an event was understood: each answers when it is appended, a certificate when it is settled. */
type Consequences = readonly Promise<CascadeEnd>[];

/** Events whose consequences are not all appended: each is open until they are, or until the next start. */
export class Triggers {
  constructor(private readonly parts: TriggersParts) {}

  take(recorded: RecordedEvent, meaning: Meaning): void {
    const { position, stream, revision } = recorded;
    this.parts.open.add({ position, stream, revision });
    this.parts.metrics.taken();
    void this.#complete(recorded, meaning);
  }

  async #complete(recorded: RecordedEvent, meaning: Meaning): Promise<void> {
    const { position, stream, revision } = recorded;
    try {
      const ends = await Promise.all(await this.#begin(recorded, meaning));
      if (ends.every((end) => end === 'done')) this.parts.open.remove(position);
    } catch (error) {
      if (error instanceof StoppedError) return;
      const details = { position, stream, revision, error: textOf(error) };
      this.parts.logger.error(details, 'the consequences of an event cannot be completed');
    }
  }

  async #begin(recorded: RecordedEvent, meaning: Meaning): Promise<Consequences> {
    const { busy } = this.parts;
    busy.add(1);
    try {
      return await this.#consequences(recorded, meaning);
    } finally {
      busy.add(-1);
    }
  }

  async #consequences(recorded: RecordedEvent, meaning: Meaning): Promise<Consequences> {
    const { beginnings, links, late } = this.parts;
    switch (meaning) {
      case 'link':
        return (await links.repair(recorded)) ? [] : [Promise.resolve('kept')];
      case 'late':
        return late.follow(recorded);
      case 'root':
        return this.#sweep(await beginnings.ofRoot(recorded));
      case 'opening':
        return this.#sweep(await beginnings.ofOpening(recorded));
      case 'end':
        return this.#sweep(await beginnings.ofEnd(recorded));
    }
  }

  #sweep(beginning: Beginning): Consequences {
    if (beginning === undefined) return [];
    if (beginning === 'unreadable') return [Promise.resolve('kept')];
    return [this.parts.cascades.join(beginning, {})];
  }
}
