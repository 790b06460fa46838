import { invalid } from '#domain';
import type { Positions } from '#application';
import { type EventStore, type Position, StoreUnavailableError } from '#event-store';
import type { ServingView } from '../keeping/serving-view.js';

/** Longest wait of a list for positions that its view has not reached. */
export const listWaitMsMax = 2_000;

export interface FreshnessParts {
  readonly serving: ServingView;
  readonly store: EventStore;
  readonly namespace: string;
  readonly positions: Positions;
}

/** The name under which every surface takes the position: a refusal names what the client sent. */
const waitForField = 'ledger-wait-for';

/** What was waited for. `stale`: in vain, or nobody can say how far the log has come. */
export interface Awaited {
  readonly position: Position;
  readonly stale: boolean;
}

/** Waits for what this process has appended or seen, and for what the caller has heard of. */
export class Freshness {
  constructor(private readonly parts: FreshnessParts) {}

  async awaited(waitFor: string | undefined, asOf: Position = ''): Promise<Awaited> {
    const { serving } = this.parts;
    const asked = waitFor === undefined ? '' : await this.#checked(waitFor);
    const position = [asked, asOf, serving.newestKnown].reduce((one, other) => (one > other ? one : other));
    const isBehind = position > serving.position && !(await serving.waitFor(position, listWaitMsMax));
    return { position, stale: isBehind || this.parts.store.health().behind !== undefined };
  }

  /** A position that this process has not heard of is asked for in the log: waiting for nothing helps nobody. */
  async #checked(waitFor: string): Promise<Position> {
    const { serving, positions } = this.parts;
    const position = positions.parse(waitFor, waitForField);
    if (position <= serving.newestKnown || (await this.#mayStandAt(position))) return position;
    throw invalid(waitForField, 'no event stands at this position');
  }

  /** While the log is away it cannot be asked: the list is waited for, and says that it is stale. */
  async #mayStandAt(position: Position): Promise<boolean> {
    const { store, namespace } = this.parts;
    try {
      const [event] = await store.readAll({ from: position, limit: 1, prefix: `${namespace}.` });
      return event?.position === position;
    } catch (error) {
      if (error instanceof StoreUnavailableError) return true;
      throw error;
    }
  }
}
