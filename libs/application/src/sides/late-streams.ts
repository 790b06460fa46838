import {
  decideLate,
  evolveLate,
  lateUpdateOf,
  type ChangeState,
  type ChildLink,
  type EventMetadata,
  type LateEvent,
  type LateLog,
  type RecordArtifact,
  type Task,
} from '#domain';
import type { Position } from '#event-store';
import { decodeRecorded } from '../codec/decode.js';
import { keyReused } from '../commands/task-write.js';
import type { CommandIdentity } from '../identity/commands.js';
import { nameBasedUuid, requestHash } from '../identity/name-based.js';
import { stampOf } from '../identity/stamp.js';
import type { StreamNames } from '../streams.js';
import { SideStreams, type SideKind, type SideParts } from './side-streams.js';

const lateKind = (names: StreamNames): SideKind<LateLog, LateEvent> => ({
  decode: (recorded) => {
    const decoded = decodeRecorded(recorded, names);
    return decoded.kind === 'late' ? decoded.event : undefined;
  },
  evolve: evolveLate,
  weigh: (log) =>
    log === undefined ? 0 : log.childCount + log.refusedIds.length + log.notedCancellationIds.length,
});

/** What stands beside a task: refused updates, late children, cancellations of the descendants that passed it. */
export class LateStreams {
  readonly #sides: SideStreams<LateLog, LateEvent>;

  constructor(
    parts: SideParts,
    private readonly names: StreamNames,
    private readonly logId: string,
  ) {
    this.#sides = new SideStreams(parts, lateKind(names));
  }

  /** @param seen a revision that was seen in the log: the fold is not older */
  async load(taskId: string, seen?: number): Promise<LateLog | undefined> {
    return (await this.#sides.load(this.names.late(taskId), seen)).log;
  }

  /** Whether a link beside this task was made under this key. @throws DomainError `idempotency-conflict` */
  knows(taskId: string, identity: CommandIdentity): Promise<boolean> {
    return this.#sides.knows({ stream: this.names.late(taskId), identity, reused: () => keyReused(taskId) });
  }

  forget(): void {
    this.#sides.forget();
  }

  /** The first 100 of a task; the same command again is the same update. */
  async refuse(command: ChangeState | RecordArtifact, task: Task, metadata: EventMetadata): Promise<void> {
    const { at: _at, ...sent } = command;
    const id = nameBasedUuid([
      'LateUpdateRefused',
      this.logId,
      task.taskId,
      metadata.commandId,
      requestHash(sent),
    ]);
    const note = lateUpdateOf(command, task, id);
    await this.#sides.write({
      stream: this.names.late(task.taskId),
      hasOneId: true,
      decide: (log) => decideLate(note, log),
      eventId: () => id,
      stamp: () => stampOf(metadata),
    });
  }

  /** A link that lost the race against its parent's end. Position of the event, if it is written now. */
  async linkChild(
    parentTaskId: string,
    child: ChildLink,
    at: string,
    metadata: EventMetadata,
  ): Promise<Position | undefined> {
    const means = ['LateChildLinked', this.logId, parentTaskId, child.taskId];
    const { position } = await this.#sides.write({
      stream: this.names.late(parentTaskId),
      decide: (log) => decideLate({ type: 'LinkLateChild', at, parentTaskId, child }, log),
      eventId: ({ data }) => nameBasedUuid([...means, data.at]),
      stamp: () => stampOf(metadata),
    });
    return position;
  }

  /** That a cancellation of the descendants only passed this task: the walk up from a late link finds it here. */
  async noteDescendants(
    taskId: string,
    cancellationId: string,
    at: string,
    metadata: EventMetadata,
  ): Promise<Position | undefined> {
    const means = ['DescendantsCancellationNoted', this.logId, taskId, cancellationId];
    const { position } = await this.#sides.write({
      stream: this.names.late(taskId),
      decide: (log) => decideLate({ type: 'NoteDescendantsCancellation', at, cancellationId }, log),
      eventId: ({ data }) => nameBasedUuid([...means, data.at]),
      stamp: () => stampOf(metadata),
    });
    return position;
  }
}
