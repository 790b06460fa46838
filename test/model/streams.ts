import type {
  CancellationEvent,
  CancellationLog,
  EventMetadata,
  LateEvent,
  LateLog,
  Recorded,
  Task,
  TaskEvent,
} from '#domain';
import type { Move } from './moves.js';
import type { Rules } from './rules.js';

export type StreamKind = 'task' | 'late' | 'cancellation';

/** A stream up to one of its events; two streams with the same events are the same head. */
export interface Head<Kind extends StreamKind, Event, Fold> {
  /** Unique among all heads of a run. */
  readonly id: number;
  readonly kind: Kind;
  /** Which task or cancellation, counted from 0. */
  readonly index: number;
  readonly revision: number;
  /** Absent where the stream does not exist. */
  readonly event?: Recorded<Event>;
  readonly before?: Head<Kind, Event, Fold>;
  readonly fold: Fold | undefined;
  readonly next: Map<string, Head<Kind, Event, Fold>>;
  /** What was decided on it, by the command. */
  readonly decided: Map<string, Move | undefined>;
}

export type TaskHead = Head<'task', TaskEvent, Task>;
export type LateHead = Head<'late', LateEvent, LateLog>;
export type CancellationHead = Head<'cancellation', CancellationEvent, CancellationLog>;
export type AnyHead = TaskHead | LateHead | CancellationHead;

/** Whoever acts is of no interest here. */
const metadata: EventMetadata = {
  tenant: 'acme',
  owner: 'alice',
  principal: 'somebody',
  role: 'agent',
  via: 'ledger-api',
  commandId: 'command',
  $causationId: 'command',
  $correlationId: 'correlation',
};

/**
 * Streams that share their beginnings. A stream's fold is a function of its events, so every fold is made once,
 * however many states hold it.
 */
export class Streams {
  readonly #heads: AnyHead[] = [];

  constructor(private readonly rules: Rules) {}

  head(id: number): AnyHead {
    const head = this.#heads[id];
    if (head === undefined) throw new Error(`no head ${String(id)}`);
    return head;
  }

  empty<Kind extends StreamKind, Event, Fold>(kind: Kind, index: number): Head<Kind, Event, Fold> {
    const head: Head<Kind, Event, Fold> = {
      id: this.#heads.length,
      kind,
      index,
      revision: -1,
      fold: undefined,
      next: new Map<string, Head<Kind, Event, Fold>>(),
      decided: new Map<string, Move | undefined>(),
    };
    this.#heads.push(head as unknown as AnyHead);
    return head;
  }

  task(before: TaskHead, event: TaskEvent): TaskHead {
    return this.#after(before, event, (fold, recorded) => this.rules.evolve(fold, recorded));
  }

  late(before: LateHead, event: LateEvent): LateHead {
    return this.#after(before, event, (fold, recorded) => this.rules.evolveLate(fold, recorded));
  }

  cancellation(before: CancellationHead, event: CancellationEvent): CancellationHead {
    return this.#after(before, event, (fold, recorded) => this.rules.evolveCancellation(fold, recorded));
  }

  #after<Kind extends StreamKind, Event extends object, Fold>(
    before: Head<Kind, Event, Fold>,
    event: Event,
    evolve: (fold: Fold | undefined, event: Recorded<Event>) => Fold | undefined,
  ): Head<Kind, Event, Fold> {
    const key = JSON.stringify(event);
    const known = before.next.get(key);
    if (known !== undefined) return known;
    const { kind, index } = before;
    const revision = before.revision + 1;
    const id = `${kind}-${String(index)}@${String(revision)}`;
    const recorded: Recorded<Event> = { ...event, revision, id, metadata, bytes: 0 };
    const head: Head<Kind, Event, Fold> = {
      id: this.#heads.length,
      kind,
      index,
      revision,
      event: recorded,
      before,
      fold: evolve(before.fold, recorded),
      next: new Map<string, Head<Kind, Event, Fold>>(),
      decided: new Map<string, Move | undefined>(),
    };
    this.#heads.push(head as unknown as AnyHead);
    before.next.set(key, head);
    return head;
  }
}

const codes: string[] = [];

/** Two characters for a number below 2^30: keys are made of these. */
export const codeOf = (id: number): string => (codes[id] ??= String.fromCharCode(id & 0x7fff, id >> 15));

/** The stream as it was when this revision had just been appended. */
export const headAt = <Kind extends StreamKind, Event, Fold>(
  head: Head<Kind, Event, Fold>,
  revision: number,
): Head<Kind, Event, Fold> | undefined => {
  let at: Head<Kind, Event, Fold> | undefined = head;
  while (at !== undefined && at.revision > revision) at = at.before;
  return at?.revision === revision ? at : undefined;
};
