import type { Consumer, Standing } from '#application';
import type { Drain } from '../http/drain.js';
import type { Runtime } from '../runtime.js';

/** The parts that can be unready. */
export interface ReadinessParts {
  readonly drain: Drain;
  readonly runtime: Pick<Runtime, 'store' | 'views' | 'standings' | 'storageHealth'>;
}

/** Whether this instance should be sent requests, and who of the instances does what goes on by itself. */
export class Readiness {
  constructor(private readonly parts: ReadinessParts) {}

  /** Why not; empty when it should. */
  get reasons(): readonly string[] {
    const { drain, runtime } = this.parts;
    const store = runtime.store.health();
    const storage = runtime.storageHealth();
    return [
      ...(drain.draining ? ['the service is stopping'] : []),
      ...(store.writable ? [] : [`the event store takes no appends: ${store.reason}`]),
      ...(store.behind === undefined ? [] : [`what follows the log may be behind it: ${store.behind}`]),
      ...(storage.reachable ? [] : [`the database of the views does not answer: ${storage.reason}`]),
      ...(runtime.views.ready ? [] : ['the views have not caught up with the log']),
    ];
  }

  /** Of every consumer that this instance stands for. */
  get consumers(): Readonly<Partial<Record<Consumer, Standing>>> {
    return this.parts.runtime.standings();
  }
}
