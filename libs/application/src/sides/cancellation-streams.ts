import {
  decideCancellation,
  evolveCancellation,
  type CancellationCommand,
  type CancellationEvent,
  type CancellationLog,
  type Caller,
  type EventMetadata,
  type JsonObject,
} from '#domain';
import { cancellationNotFound } from '../access/rights.js';
import { decodeRecorded } from '../codec/decode.js';
import { keyReused } from '../commands/task-write.js';
import type { CommandIdentity } from '../identity/commands.js';
import { metadataOf, requestedBy } from '../identity/metadata.js';
import { nameBasedUuid } from '../identity/name-based.js';
import { stampOf, type Stamp } from '../identity/stamp.js';
import type { StreamNames } from '../streams.js';
import { certificateEventId } from './certificate-ids.js';
import { weightOf } from './certificate-weight.js';
import { openedMetadata, openingOf, type RootEvent } from './root-events.js';
import {
  SideStreams,
  type SideKind,
  type SideOutcome,
  type SideParts,
  type SideWrite,
} from './side-streams.js';

/** One cancel that came second. */
export interface Repeat {
  readonly caller: Caller;
  readonly identity: CommandIdentity;
  readonly at: string;
  readonly taskId: string;
  readonly reason?: string;
  readonly metadata?: JsonObject;
}

const cancellationKind = (names: StreamNames): SideKind<CancellationLog, CancellationEvent> => ({
  decode: (recorded) => {
    const decoded = decodeRecorded(recorded, names);
    return decoded.kind === 'cancellation' ? decoded.event : undefined;
  },
  evolve: evolveCancellation,
  weigh: weightOf,
});

export type CancellationOutcome = SideOutcome<CancellationLog>;

/** The streams of cancellations: opened once, by whoever comes first; what becomes of them is added. */
export class CancellationStreams {
  readonly #sides: SideStreams<CancellationLog, CancellationEvent>;

  constructor(
    parts: SideParts,
    private readonly names: StreamNames,
    private readonly logId: string,
  ) {
    this.#sides = new SideStreams(parts, cancellationKind(names));
  }

  /** @param seen a revision that was seen in the log: the fold is not older */
  async load(cancellationId: string, seen?: number): Promise<CancellationLog | undefined> {
    return (await this.#sides.load(this.names.cancellation(cancellationId), seen)).log;
  }

  /** What is in memory of it, perhaps not the newest: once opened, a cancellation stays so. */
  kept(cancellationId: string): CancellationLog | undefined {
    return this.#sides.kept(this.names.cancellation(cancellationId))?.log;
  }

  /** Whether this command of a caller stands there. @throws DomainError `idempotency-conflict` */
  knows(cancellationId: string, taskId: string, identity: CommandIdentity): Promise<boolean> {
    const stream = this.names.cancellation(cancellationId);
    return this.#sides.knows({ stream, identity, reused: () => keyReused(taskId) });
  }

  forget(): void {
    this.#sides.forget();
  }

  /**
   * Writes `CancellationOpened`, unless it is there. Before this nobody is given the id.
   * @param isNew the root's own event was appended a moment ago: nobody else can have opened it for long
   */
  open(rootTaskId: string, root: RootEvent, isNew = false): Promise<CancellationOutcome> {
    return this.openWith(openingOf(rootTaskId, root), openedMetadata(root), { isNew });
  }

  openWith(
    command: Extract<CancellationCommand, { type: 'OpenCancellation' }>,
    metadata: EventMetadata,
    { identity, isNew = false }: { readonly identity?: CommandIdentity; readonly isNew?: boolean } = {},
  ): Promise<CancellationOutcome> {
    const { cancellationId, rootTaskId } = command;
    const stamp = () => stampOf(metadata);
    const keyed = identity && { identity, reused: () => keyReused(rootTaskId) };
    return this.#write(cancellationId, command, stamp, { isNew, ...keyed });
  }

  /** The first 100; the same command again is the same repeat. */
  noteRepeat(cancellationId: string, repeat: Repeat): Promise<CancellationOutcome> {
    const { caller, identity, at, taskId, reason, metadata } = repeat;
    const parts = ['CancellationRepeated', this.logId, cancellationId, taskId, identity.commandId];
    const eventId = nameBasedUuid(parts);
    const by = requestedBy(caller);
    const said = { ...(reason !== undefined && { reason }), ...(metadata !== undefined && { metadata }) };
    return this.#sides.write({
      stream: this.names.cancellation(cancellationId),
      hasOneId: true,
      decide: (log) => decideCancellation({ type: 'NoteRepeat', eventId, at, taskId, by, ...said }, log),
      eventId: () => eventId,
      stamp: (log) => this.#callerStamp(caller, identity, cancellationId, log),
    });
  }

  /** What a caller adds; under a key once, and refused for another body. */
  addAs(
    { caller, identity, taskId }: { caller: Caller; identity: CommandIdentity; taskId: string },
    cancellationId: string,
    command: CancellationCommand,
  ): Promise<CancellationOutcome> {
    const stamp = (log: CancellationLog | undefined) =>
      this.#callerStamp(caller, identity, cancellationId, log);
    return this.#write(cancellationId, command, stamp, { identity, reused: () => keyReused(taskId) });
  }

  /** What the ledger itself adds. */
  add(
    cancellationId: string,
    command: CancellationCommand,
    stamp: (log: CancellationLog) => Stamp,
  ): Promise<CancellationOutcome> {
    return this.#write(cancellationId, command, (log) => {
      if (log === undefined) throw cancellationNotFound(cancellationId);
      return stamp(log);
    });
  }

  #write(
    cancellationId: string,
    command: CancellationCommand,
    stamp: (log: CancellationLog | undefined) => Stamp,
    more?: Pick<SideWrite<CancellationLog, CancellationEvent>, 'identity' | 'reused' | 'isNew'>,
  ): Promise<CancellationOutcome> {
    return this.#sides.write({
      stream: this.names.cancellation(cancellationId),
      decide: (log) => decideCancellation(command, log),
      eventId: (event, revision) => certificateEventId(this.logId, cancellationId, event, revision),
      stamp,
      ...more,
    });
  }

  #callerStamp(
    caller: Caller,
    identity: CommandIdentity,
    cancellationId: string,
    log: CancellationLog | undefined,
  ): Stamp {
    if (log === undefined) throw cancellationNotFound(cancellationId);
    return stampOf(metadataOf(caller, identity, log, cancellationId));
  }
}
