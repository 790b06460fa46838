import {
  decideLate,
  evolveLate,
  lateUpdateOf,
  type ChangeState,
  type ChildLink,
  type EventMetadata,
  type LateLog,
  type RecordArtifact,
  type Task,
} from '#domain';
import { decodeRecorded } from '../codec/decode.js';
import { nameBasedUuid, requestHash } from '../identity/name-based.js';
import type { StreamNames } from '../streams.js';
import type { FoldSide, SideStreams } from './side-streams.js';

/** What comes after a task's end, on its late stream. */
export class LateStreams {
  readonly #fold: FoldSide<LateLog>;

  constructor(
    private readonly sides: SideStreams,
    private readonly names: StreamNames,
    private readonly logId: string,
  ) {
    this.#fold = (log, recorded) => {
      const decoded = decodeRecorded(recorded, names);
      return decoded.kind === 'late' ? evolveLate(log, decoded.event) : log;
    };
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
    await this.sides.write({
      stream: this.names.late(task.taskId),
      fold: this.#fold,
      decide: (log) => decideLate(note, log),
      eventId: id,
      metadata,
    });
  }

  /** A link that lost the race against its parent's end. Position of the event, if it is written now. */
  linkChild(
    parentTaskId: string,
    child: ChildLink,
    at: string,
    metadata: EventMetadata,
  ): Promise<string | undefined> {
    return this.sides.write({
      stream: this.names.late(parentTaskId),
      fold: this.#fold,
      decide: (log) => decideLate({ type: 'LinkLateChild', at, parentTaskId, child }, log),
      eventId: nameBasedUuid(['LateChildLinked', this.logId, parentTaskId, child.taskId]),
      metadata,
    });
  }
}
