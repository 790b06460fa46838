import { factOn, putOn, type Recorded } from '#domain';
import {
  OutcomeUnknownError,
  WrongExpectedRevisionError,
  type AppendResult,
  type Position,
  type RecordedEvent,
} from '#event-store';
import { encodeAppend, type EncodedAppend, type TypedEvent } from '../codec/encode.js';
import { decisionsMax } from '../commands/task-writer.js';
import type { CommandIdentity } from '../identity/commands.js';
import type { Stamp } from '../identity/stamp.js';
import type { Ids } from '../ports/clock.js';
import { jitter, type Appender } from '../store/appender.js';
import { unavailable } from '../store/failures.js';
import type { StreamQueues } from '../store/stream-queues.js';
import type { StreamReader } from '../store/stream-reader.js';
import { SideFolds, type SideCommand, type SideFold } from './side-folds.js';

/** What a kind of side stream holds, and how it is folded; an event that cannot be read is passed over. */
export interface SideKind<Log, Event extends TypedEvent> {
  readonly decode: (recorded: RecordedEvent) => Recorded<Event> | undefined;
  readonly evolve: (log: Log | undefined, event: Recorded<Event>) => Log | undefined;
  /** Members that a fold holds. */
  readonly weigh: (log: Log | undefined) => number;
}

/** How a command is known again in a side stream. */
interface KeyedCommand {
  readonly stream: string;
  /** Under an idempotency key: found in the stream, the command is done. */
  readonly identity?: CommandIdentity;
  /** @throws what refuses a key that was used for another request */
  readonly reused?: () => Error;
}

/** One command to a side stream. */
export interface SideWrite<Log, Event extends TypedEvent> extends KeyedCommand {
  /** Nobody can have written to this stream before: its name was made a moment ago. */
  readonly isNew?: boolean;
  /** Said again by another process, it has the same id and perhaps another moment: what is stored is read again. */
  readonly hasOneId?: boolean;
  readonly decide: (log: Log | undefined) => readonly Event[];
  /** Derived from all that the event means, or from the revision it is to stand at too. */
  readonly eventId: (event: Event, revision: number) => string;
  readonly stamp: (log: Log | undefined) => Stamp;
}

export interface SideOutcome<Log> {
  readonly log: Log | undefined;
  /** Of the last event that this command appended, now or when its key was used first. */
  readonly position?: Position;
  /** The command was found under its key. */
  readonly repeated: boolean;
}

export interface SideParts {
  readonly reader: StreamReader;
  readonly appender: Appender;
  readonly queues: StreamQueues;
  readonly ids: Ids;
  /** No other process writes to this log: a fold that was moved on by our own appends is the truth. */
  readonly soleWriter: boolean;
  /** Tells whoever waits for the stream. */
  readonly appended: (stream: string, revision: number, position: Position) => void;
}

type Visit = (recorded: RecordedEvent) => void;

/** What a decision rests on. `certain`: read for it, or nobody else writes. */
interface Basis<Log> {
  readonly fold: SideFold<Log>;
  readonly certain: boolean;
}

type Decision<Log, Event> = readonly Event[] | SideOutcome<Log> | 'look-again';

const emptyFold: SideFold<never> = { log: undefined, revision: -1, lastEventId: '', commands: [] };

/**
 * Late streams, or those of cancellations: written like tasks, with their own queue, their own fold and at the exact
 * revision. The folds used last are kept: a line on a certificate of ten thousand tasks is not a read of them all.
 */
export class SideStreams<Log, Event extends TypedEvent> {
  readonly #folds: SideFolds<Log>;

  constructor(
    private readonly parts: SideParts,
    private readonly kind: SideKind<Log, Event>,
    folds?: SideFolds<Log>,
  ) {
    this.#folds = folds ?? new SideFolds(kind.weigh);
  }

  /** @param seen a revision that was seen in the log: the fold is not older */
  async load(stream: string, seen = -1): Promise<SideFold<Log>> {
    const kept = this.#folds.get(stream);
    if (kept !== undefined && this.parts.soleWriter && kept.revision >= seen) return kept;
    const fold = await this.#read(stream, kept);
    if (fold.revision < seen) throw unavailable(`the log answers ${stream} as it was before`);
    return fold;
  }

  /** The fold in memory, perhaps not the newest; undefined says nothing. */
  kept(stream: string): SideFold<Log> | undefined {
    const kept = this.#folds.get(stream);
    return kept !== undefined && kept.revision >= 0 ? kept : undefined;
  }

  /** Whether a command under this key stands in the stream. @throws what `reused` makes, of another request's key */
  async knows(command: KeyedCommand): Promise<boolean> {
    return knownIn(await this.load(command.stream), command) !== undefined;
  }

  /** Throws every fold away; nothing but speed is lost. */
  forget(): void {
    this.#folds.clear();
  }

  write(write: SideWrite<Log, Event>): Promise<SideOutcome<Log>> {
    return this.parts.queues.run(write.stream, () => this.#write(write));
  }

  async #write(write: SideWrite<Log, Event>): Promise<SideOutcome<Log>> {
    const attempted = new Set<string>();
    let basis = await this.#begin(write);
    for (let conflicts = 0; conflicts <= decisionsMax;) {
      const decision = this.#decide(write, basis);
      if (decision === 'look-again') {
        basis = { fold: await this.#read(write.stream, this.kept(write.stream)), certain: true };
        continue;
      }
      if ('repeated' in decision) return decision;
      const done = await this.#append(write, decision, basis.fold, attempted);
      if (done !== 'conflict') return done;
      await jitter(this.parts.ids, conflicts);
      conflicts += 1;
      const own: Position[] = [];
      const fold = await this.#read(write.stream, basis.fold, ({ id, position }) => {
        if (attempted.has(id)) own.push(position);
      });
      const position = own.at(-1);
      if (position !== undefined) return { log: fold.log, position, repeated: false };
      basis = { fold, certain: true };
    }
    throw unavailable(`too many write to ${write.stream} at once`);
  }

  /** What is in memory will do to append on: the store finds out whether it is the newest. */
  async #begin({ stream, isNew }: SideWrite<Log, Event>): Promise<Basis<Log>> {
    const { soleWriter } = this.parts;
    const kept = soleWriter ? this.#folds.get(stream) : this.kept(stream);
    if (kept !== undefined) return { fold: kept, certain: soleWriter };
    if (isNew === true) return { fold: emptyFold, certain: false };
    return { fold: await this.#read(stream, undefined), certain: true };
  }

  /** The events to append, or the outcome where there are none; what appends nothing must be certain. */
  #decide(write: SideWrite<Log, Event>, { fold, certain }: Basis<Log>): Decision<Log, Event> {
    try {
      const known = knownIn(fold, write);
      if (known !== undefined) return { log: fold.log, position: known.position, repeated: true };
      const events = write.decide(fold.log);
      if (events.length > 0) return events;
    } catch (error) {
      if (!certain) return 'look-again';
      throw error;
    }
    return certain ? { log: fold.log, repeated: false } : 'look-again';
  }

  async #append(
    write: SideWrite<Log, Event>,
    events: readonly Event[],
    fold: SideFold<Log>,
    attempted: Set<string>,
  ): Promise<SideOutcome<Log> | 'conflict'> {
    const { stream } = write;
    const stamp = write.stamp(fold.log);
    const encoded = encodeAppend(events, stamp, (index, event) =>
      write.eventId(event, fold.revision + 1 + index),
    );
    try {
      const expected = fold.revision < 0 ? 'none' : fold.revision;
      const stored = await this.parts.appender.append(stream, encoded.events, expected);
      const moved = this.#movedOn(fold, events, encoded, stamp, stored);
      if (write.hasOneId === true && !this.parts.soleWriter) this.#folds.drop(stream);
      else this.#folds.advance(stream, moved);
      this.parts.appended(stream, stored.revision, stored.position);
      return { log: moved.log, position: stored.position, repeated: false };
    } catch (error) {
      // Read again: what was written without an answer is found by its id.
      if (!(error instanceof WrongExpectedRevisionError) && !(error instanceof OutcomeUnknownError))
        throw error;
      for (const { id } of encoded.events) attempted.add(id);
      return 'conflict';
    }
  }

  #movedOn(
    fold: SideFold<Log>,
    events: readonly Event[],
    { events: stored, bytes }: EncodedAppend,
    { metadata }: Stamp,
    { revision: last, position }: AppendResult,
  ): SideFold<Log> {
    let { log } = fold;
    for (const [index, { type, data }] of events.entries()) {
      const revision = fold.revision + 1 + index;
      const place = { revision, id: stored[index]?.id ?? '', metadata, bytes: bytes[index] ?? 0 };
      log = this.kind.evolve(log, { type, data, ...place } as Recorded<Event>);
    }
    const commands = withCommand(fold.commands, metadata, position);
    return { log, revision: last, lastEventId: stored.at(-1)?.id ?? '', commands };
  }

  #read(stream: string, kept: SideFold<Log> | undefined, visit?: Visit): Promise<SideFold<Log>> {
    return this.#folds.loading(stream, async () => {
      const onto = kept === undefined ? undefined : await this.#readOnto(stream, kept, visit);
      if (onto !== undefined) return onto;
      const fold = await this.#pages(stream, emptyFold, 0, visit);
      // A deposed leader answers from its old log for a moment.
      if (fold.revision < (kept?.revision ?? -1))
        throw unavailable(`the log answers ${stream} as it was before`);
      return fold;
    });
  }

  /** From the last event that is known, which must be there; undefined where the log holds another. */
  async #readOnto(stream: string, kept: SideFold<Log>, visit?: Visit): Promise<SideFold<Log> | undefined> {
    if (kept.revision < 0) return undefined;
    let verified = false;
    const fold = await this.#pages(stream, kept, kept.revision, visit, ({ revision, id }) => {
      verified = revision === kept.revision && id === kept.lastEventId;
      return verified;
    });
    return verified ? fold : undefined;
  }

  async #pages(
    stream: string,
    start: SideFold<Log>,
    from: number,
    visit?: Visit,
    verify?: (first: RecordedEvent) => boolean,
  ): Promise<SideFold<Log>> {
    let fold = start;
    let unverified = verify;
    for await (const page of this.parts.reader.pages(stream, from)) {
      const [first] = page;
      const isKnown = unverified !== undefined && first !== undefined;
      if (isKnown && unverified?.(first) === false) return fold;
      for (const recorded of isKnown ? page.slice(1) : page) {
        visit?.(recorded);
        fold = this.#add(fold, recorded);
      }
      unverified = undefined;
    }
    return fold;
  }

  #add({ log, commands }: SideFold<Log>, recorded: RecordedEvent): SideFold<Log> {
    const event = this.kind.decode(recorded);
    const { revision, id: lastEventId, position } = recorded;
    if (event === undefined) return { log, revision, lastEventId, commands };
    return {
      log: this.kind.evolve(log, event),
      revision,
      lastEventId,
      commands: withCommand(commands, event.metadata, position),
    };
  }
}

const withCommand = <Log>(
  commands: SideFold<Log>['commands'],
  { commandId, requestHash }: Stamp['metadata'],
  position: Position,
): SideFold<Log>['commands'] =>
  requestHash === undefined ? commands : putOn(commands, commandId, { requestHash, position });

const knownIn = <Log>(
  { commands }: SideFold<Log>,
  { identity, reused, stream }: KeyedCommand,
): SideCommand | undefined => {
  if (identity?.requestHash === undefined) return undefined;
  const known = factOn(commands, identity.commandId);
  if (known === undefined || known.requestHash === identity.requestHash) return known;
  throw reused?.() ?? new Error(`the key was used for another request to ${stream}`);
};
