import { randomUUID } from 'node:crypto';
import type { TaskEvent } from '#domain';
import { type EventStore, type NewEvent, openEmbeddedStore, type RecordedEvent } from '#event-store';
import { alice, type TestCaller } from './callers.js';

const namespace = 'ledger';
export const streamOf = (taskId: string): string => `${namespace}.task-${taskId}`;
const pageSize = 1_000;

/** Opens the log of a service that is not running, and lets go of it again. */
export const withLog = async <Value>(
  folder: string,
  work: (store: EventStore) => Promise<Value>,
): Promise<Value> => {
  const store = await openEmbeddedStore({ folder });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
};

/** Metadata as the ledger writes it, for events that a test puts into the log by hand. */
export const metadataOf = (taskId: string, caller: TestCaller = alice): Record<string, string> => {
  const commandId = randomUUID();
  return {
    tenant: caller.tenant,
    owner: caller.principal,
    principal: caller.principal,
    role: caller.role,
    via: 'ledger-api',
    commandId,
    $causationId: commandId,
    $correlationId: taskId,
  };
};

export const storedEvent = (taskId: string, event: TaskEvent): NewEvent => ({
  id: randomUUID(),
  type: event.type,
  data: JSON.stringify(event.data),
  metadata: JSON.stringify(metadataOf(taskId)),
});

export const submitted = (taskId: string, at: string, contextId: string): TaskEvent => ({
  type: 'TaskSubmitted',
  data: { at, taskId, contextId, rootTaskId: taskId, content: { enc: 'none', body: {} } },
});

export const started = (at: string): TaskEvent => ({
  type: 'TaskStarted',
  data: { at, content: { enc: 'none', body: {} } },
});

export const completed = (at: string): TaskEvent => ({
  type: 'TaskCompleted',
  data: { at, content: { enc: 'none', body: {} } },
});

/** Everything under the ledger's prefix, in log order. */
export const wholeLog = async (store: EventStore): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for (let from: string | undefined; ;) {
    const page = await store.readAll({
      prefix: `${namespace}.`,
      limit: pageSize,
      ...(from === undefined ? {} : { from }),
    });
    // A forward read includes its position: the first of a later page is known.
    events.push(...(from === undefined ? page : page.slice(1)));
    const last = page.at(-1)?.position;
    if (page.length < pageSize || last === undefined) return events;
    from = last;
  }
};
