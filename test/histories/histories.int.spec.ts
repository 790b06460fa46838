import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  evolveAll,
  evolveCancellation,
  evolveDocumentAll,
  evolveLate,
  readCancellationEvent,
  readLateEvent,
  readLogEvent,
  readMetadata,
  readTaskEvent,
  resultAmong,
  rowOf,
  utf8Bytes,
  type CancellationLog,
  type LateLog,
  type Reading,
  type Recorded,
} from '#domain';

// Histories as they were once recorded. Their events are public: whatever the code becomes, they must still be read
// and fold to what they folded to. A new shape gets a new history; none of these is ever rewritten.

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly metadata: unknown;
}

interface History {
  readonly title: string;
  readonly stream: string;
  readonly events: readonly StoredEvent[];
  readonly final: unknown;
}

const folder = import.meta.dirname;
const histories = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as History);

/** Reads every event of a stream; what a history holds must be readable. */
const read = <Event extends object>(
  events: readonly StoredEvent[],
  reader: (type: string, data: unknown) => Reading<Event>,
): Recorded<Event>[] =>
  events.map(({ id, type, data, metadata }, revision) => {
    const reading = reader(type, data);
    const { ok, ...more } = readMetadata(metadata);
    if (!reading.ok) throw new Error(`${type}: ${reading.error}`);
    if (!ok || !('metadata' in more)) throw new Error(`${type}: unreadable metadata`);
    const bytes = utf8Bytes(JSON.stringify(data)) + utf8Bytes(JSON.stringify(metadata));
    return { ...reading.event, id, revision, bytes, metadata: more.metadata };
  });

const foldTask = (stored: readonly StoredEvent[]) => {
  const events = read(stored, readTaskEvent);
  const task = evolveAll(undefined, events);
  const document = evolveDocumentAll(undefined, events);
  if (task === undefined) throw new Error('an empty history');
  return { task, document, row: rowOf(task, resultAmong(task.taskId, document.artifacts)) };
};

const folds: Readonly<Record<string, (stored: readonly StoredEvent[]) => unknown>> = {
  task: foldTask,
  late: (stored) => ({ log: read(stored, readLateEvent).reduce<LateLog | undefined>(evolveLate, undefined) }),
  cancellation: (stored) => ({
    log: read(stored, readCancellationEvent).reduce<CancellationLog | undefined>(evolveCancellation, undefined),
  }),
  log: (stored) => ({ log: { logId: read(stored, readLogEvent)[0]?.data.logId } }),
};

const fold = ({ stream, events }: History): unknown => {
  const folded = folds[stream.split('-')[0] ?? '']?.(events);
  if (folded === undefined) throw new Error(`no fold for ${stream}`);
  return folded;
};

describe('recorded histories', () => {
  it.each(histories)('$title', (history) => {
    expect(JSON.stringify(fold(history), null, 2)).toBe(JSON.stringify(history.final, null, 2));
  });

  it('hold every public event shape', () => {
    const types = new Set(histories.flatMap(({ events }) => events.map(({ type }) => type)));
    expect([...types].sort()).toEqual([
      'ArtifactRecorded',
      'CancellationConfirmed',
      'CancellationDeclined',
      'CancellationOpened',
      'CancellationRepeated',
      'CancellationRequested',
      'CancellationSettled',
      'ChildLinked',
      'DescendantsCancellationNoted',
      'LateChildLinked',
      'LateUpdateRefused',
      'LogOpened',
      'MessageRecorded',
      'NodeWaiting',
      'NodesSettled',
      'ParentAssigned',
      'TaskAuthRequested',
      'TaskCanceled',
      'TaskCompleted',
      'TaskFailed',
      'TaskInputRequested',
      'TaskProgressed',
      'TaskRejected',
      'TaskResumed',
      'TaskStarted',
      'TaskStopped',
      'TaskSubmitted',
      'WorkerAcknowledged',
      'WorkerWroteLate',
      'WorkersNotified',
    ]);
  });
});
