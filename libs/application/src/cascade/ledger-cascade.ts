import {
  decide,
  factOn,
  type CancellationCommand,
  type CancellationLog,
  type CancellationScope,
  type EventPlace,
  type LateLog,
  type Task,
  type TaskEvent,
} from '#domain';
import type { RecordedEvent } from '#event-store';
import { cancellationNotFound } from '../access/rights.js';
import { decodeRecorded, type DecodedEvent } from '../codec/decode.js';
import { linkedChild, type LinkStep } from '../commands/links.js';
import type { WriteOutcome } from '../commands/task-write.js';
import type { TaskWriter } from '../commands/task-writer.js';
import type { HotFolds } from '../folds/hot-folds.js';
import type { TaskLoader } from '../folds/task-loader.js';
import { parentEndCancellationId } from '../identity/derived-ids.js';
import { nameBasedUuid } from '../identity/name-based.js';
import type { Carried, CascadeDesk, CertificateRecord } from '../ports/cascade-desk.js';
import type { Clock } from '../ports/clock.js';
import type { CancellationStreams } from '../sides/cancellation-streams.js';
import type { LateStreams } from '../sides/late-streams.js';
import type { TaskEvents } from '../sides/root-events.js';
import type { StreamQueues } from '../store/stream-queues.js';
import type { StreamReader } from '../store/stream-reader.js';
import type { StreamNames } from '../streams.js';
import type { Openings } from './openings.js';
import type { SystemStamps } from './system-stamps.js';
import { fireTimer } from './timer-fire.js';

export interface CascadeParts {
  readonly names: StreamNames;
  readonly reader: StreamReader;
  readonly loader: TaskLoader;
  readonly hot: HotFolds;
  readonly queues: StreamQueues;
  readonly writer: TaskWriter;
  readonly late: LateStreams;
  readonly cancellations: CancellationStreams;
  readonly events: TaskEvents;
  readonly links: LinkStep;
  readonly openings: Openings;
  readonly stamps: SystemStamps;
  readonly clock: Clock;
  readonly logId: string;
}

/** What the saga and the timers read and write of the ledger. */
export class LedgerCascade implements CascadeDesk {
  constructor(private readonly parts: CascadeParts) {}

  get names(): StreamNames {
    return this.parts.names;
  }

  async task(taskId: string, seen = -1): Promise<Task | undefined> {
    const { hot, loader, queues, names } = this.parts;
    // The event of an append of our own may have been told before its answer: the fold is one behind until then.
    if (hot.isAppending(taskId)) await queues.run(names.task(taskId), () => Promise.resolve());
    loader.saw(taskId, seen);
    const isBehind = (hot.revisionOf(taskId) ?? seen) < seen;
    return (await (isBehind ? loader.fromStore(taskId) : loader.newest(taskId)))?.task;
  }

  atHand(taskId: string): Task | undefined {
    const { hot, loader } = this.parts;
    return hot.isAppending(taskId) ? undefined : loader.atHand(taskId)?.task;
  }

  late(taskId: string, seen?: number): Promise<LateLog | undefined> {
    return this.parts.late.load(taskId, seen);
  }

  cancellation(cancellationId: string, seen?: number): Promise<CancellationLog | undefined> {
    return this.parts.cancellations.load(cancellationId, seen);
  }

  async event(
    stream: string,
    revision: number,
  ): Promise<{ readonly recorded: RecordedEvent; readonly decoded: DecodedEvent } | undefined> {
    const [recorded] = await this.parts.reader.page(stream, revision, 1);
    return recorded?.revision === revision
      ? { recorded, decoded: decodeRecorded(recorded, this.parts.names) }
      : undefined;
  }

  async carry(scope: CancellationScope, to: Parameters<CascadeDesk['carry']>[1]): Promise<Carried> {
    const { stamps, logId, writer } = this.parts;
    const { cancellationId } = scope;
    const { taskId, causeId, known } = to;
    const outcome = await writer.write({
      taskId,
      stamp: (task) => stamps.of(cancellationId, causeId, task),
      ...(known && { known }),
      decide: (task, at) => carriedEvents(scope, to, task, at),
      eventId: (_index, { type, data }) => nameBasedUuid([type, logId, cancellationId, taskId, data.at]),
    });
    return carriedOf(outcome);
  }

  async announce(child: Task, causeId: string): Promise<void> {
    const linked = linkedChild(child);
    if (linked !== undefined) await this.parts.links.announce({ causeId }, linked);
  }

  open(scope: CancellationScope): Promise<CancellationLog> {
    return this.parts.openings.open(scope);
  }

  async note({ cancellationId, rootTaskId }: CancellationScope): Promise<void> {
    await this.parts.openings.note(cancellationId, rootTaskId, this.#now());
  }

  async record(scope: CancellationScope, record: CertificateRecord): Promise<CancellationLog> {
    const { cancellationId, begin } = scope;
    const { stamps, cancellations } = this.parts;
    const command = commandOf(record, this.#now());
    const { log } = await cancellations.add(cancellationId, command, (owned) =>
      stamps.of(cancellationId, begin.eventId, owned),
    );
    if (log === undefined) throw cancellationNotFound(cancellationId);
    return log;
  }

  parentEndId(taskId: string, endEventId: string): string {
    return parentEndCancellationId(this.parts.logId, taskId, endEventId);
  }

  async fire(taskId: string, timer: Parameters<CascadeDesk['fire']>[1]): Promise<void> {
    const task = await this.task(taskId);
    if (task === undefined || task.end !== undefined || task.unreadable !== undefined) return;
    const armedAt = timer.kind === 'deadline' ? 0 : factOn(task.requests, timer.cancellationId)?.revision;
    if (armedAt === undefined) return;
    const armed = await this.parts.events.at(taskId, armedAt, this.parts.hot.get(taskId));
    if (armed !== undefined) await fireTimer(this.parts, task, timer, armed.id);
  }

  #now(): string {
    return new Date(this.parts.clock.now()).toISOString();
  }
}

const carriedEvents = (
  { kind, cancellationId, request, reason }: CancellationScope,
  { cooperative, graceMs }: Parameters<CascadeDesk['carry']>[1],
  task: Task | undefined,
  at: string,
): readonly TaskEvent[] => {
  const why = reason === undefined ? undefined : { reason };
  if (kind === 'parentEnd') return decide({ type: 'StopOrphan', at, cancellationId, ...why }, task);
  const manner = cooperative ? 'cooperative' : 'immediate';
  const plain = { type: 'CarryCancellation', at, cancellationId, manner, request } as const;
  const command = why === undefined ? plain : { ...plain, ...why };
  return decide(graceMs === undefined ? command : { ...command, graceMs }, task);
};

/** Only the place of the last event comes with an append; the saga's have one. */
const carriedOf = ({ fold, changes, position }: WriteOutcome): Carried => {
  const places = new Map<number, EventPlace>();
  const last = changes.at(-1)?.event;
  if (last !== undefined && position !== undefined)
    places.set(last.revision, { position, eventId: last.id, at: last.data.at });
  return { task: fold.task, places };
};

const commandOf = (record: CertificateRecord, at: string): CancellationCommand => {
  switch (record.kind) {
    case 'await':
      return { type: 'AwaitNode', at, node: record.node };
    case 'settle-nodes':
      return { type: 'SettleNodes', at, nodes: record.nodes };
    case 'settle':
      return { type: 'SettleCancellation', at, whole: record.whole };
  }
};
