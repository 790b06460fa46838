import { randomUUID } from 'node:crypto';
import type { TaskEvent } from '#domain';
import type { EventStore, NewEvent, RecordedEvent } from '#event-store';
import { metadataOf, streamOf, wholeLog } from './stored-log.js';
import { isEnd } from './trees.js';

const appendsInHand = 256;
/** Far enough back that every task of a family has an instant of its own. */
const bornFrom = Date.UTC(2026, 0, 1);

/** The parent of each task by index, which is smaller than the task's own; undefined for the root. */
export type Shape = readonly (number | undefined)[];

/** A chain of `count` links: the root and as many tasks, each the child of the one before. */
export const chain = (count: number): Shape =>
  Array.from({ length: count + 1 }, (_, index) => (index === 0 ? undefined : index - 1));

/** A root with `width` children, each with `width - 1` of its own: `width²` descendants. */
export const broad = (width: number): Shape => {
  const children = Array.from({ length: width }, () => 0);
  return [
    undefined,
    ...children,
    ...children.flatMap((_, child) => Array.from({ length: width - 1 }, () => child + 1)),
  ];
};

/**
 * Writes a family of alice's tasks into the log of a service that is not running, as the ledger writes it itself: each
 * child's own stream names its parent, then the parent's announces it. Answers the task ids by index.
 */
export const storeFamily = async (store: EventStore, shape: Shape): Promise<readonly string[]> => {
  const ids = shape.map(() => randomUUID());
  const root = ids[0] ?? '';
  const stored = (event: TaskEvent): NewEvent => ({
    id: randomUUID(),
    type: event.type,
    data: JSON.stringify(event.data),
    metadata: JSON.stringify(metadataOf(root)),
  });
  const births = shape.map((parent, index) =>
    stored(
      birth({
        root,
        taskId: ids[index] ?? '',
        index,
        parentId: parent === undefined ? undefined : ids[parent],
      }),
    ),
  );
  const links = new Map<number, NewEvent[]>();
  for (const [index, parent] of shape.entries()) {
    if (parent === undefined) continue;
    const announced = links.get(parent) ?? [];
    announced.push(stored(link(ids[index] ?? '', shape.length + index)));
    links.set(parent, announced);
  }
  await inBlocks([...births.entries()], ([index, event]) =>
    store.append(streamOf(ids[index] ?? ''), [event], 'none'),
  );
  await inBlocks([...links], ([parent, events]) => store.append(streamOf(ids[parent] ?? ''), events, 0));
  return ids;
};

const inBlocks = async <Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> => {
  for (let done = 0; done < items.length; done += appendsInHand)
    await Promise.all(items.slice(done, done + appendsInHand).map(work));
};

const instant = (index: number): string => new Date(bornFrom + index).toISOString();
const terms = { policy: 'cascade', onEnd: 'abandon' } as const;

interface Born {
  readonly root: string;
  readonly taskId: string;
  readonly index: number;
  readonly parentId: string | undefined;
}

const birth = ({ root, taskId, index, parentId }: Born): TaskEvent => ({
  type: 'TaskSubmitted',
  data: {
    at: instant(index),
    taskId,
    contextId: root,
    ...(parentId === undefined ? {} : { parent: { taskId: parentId, ...terms } }),
    rootTaskId: root,
    content: { enc: 'none', body: {} },
  },
});

const link = (taskId: string, index: number): TaskEvent => ({
  type: 'ChildLinked',
  data: { at: instant(index), child: { taskId, ...terms } },
});

/** Terminal events by stream, in log order. */
export const endsByStream = (
  log: readonly RecordedEvent[],
): ReadonlyMap<string, readonly RecordedEvent[]> => {
  const ends = new Map<string, RecordedEvent[]>();
  for (const event of log.filter(isEnd)) ends.set(event.stream, [...(ends.get(event.stream) ?? []), event]);
  return ends;
};

/** Task ids of the final lines that a cancellation's own stream has, one for each time it stands there. */
export const linesIn = (log: readonly RecordedEvent[], cancellationId: string): readonly string[] =>
  log
    .filter(
      ({ stream, type }) => stream.endsWith(`.cancellation-${cancellationId}`) && type === 'NodesSettled',
    )
    .flatMap(({ data }) => (JSON.parse(data) as { nodes: readonly { taskId: string }[] }).nodes)
    .map(({ taskId }) => taskId);

/** Writes the beginning of a log into an empty store, in its order: what a process that was killed there leaves. */
export const storeBeginning = async (store: EventStore, log: readonly RecordedEvent[]): Promise<void> => {
  await inBlocks(log, ({ stream, revision, id, type, data, metadata }) =>
    store.append(stream, [{ id, type, data, metadata }], revision === 0 ? 'none' : revision - 1),
  );
  const written = (await wholeLog(store)).map(({ id }) => id);
  if (written.join() !== log.map(({ id }) => id).join())
    throw new Error('not written in the order of the log');
};
