import type { EventStore, RecordedEvent } from '#event-store';
import type { LoggedEvent } from '../checker/operations.js';

const pageSize = 1_000;

/** Everything under a prefix, in log order. */
export const readWhole = async (store: EventStore, prefix: string): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for (let from: string | undefined; ;) {
    const page = await store.readAll({ prefix, limit: pageSize, ...(from !== undefined && { from }) });
    // A forward read includes its position: the first of a later page is known.
    events.push(...(from === undefined ? page : page.slice(1)));
    const last = page.at(-1)?.position;
    if (page.length < pageSize || last === undefined) return events;
    from = last;
  }
};

/** The trace id of a W3C traceparent: what the clients of a history mark their writes with. */
const markIn = (metadata: string): string | undefined => {
  const { traceparent } = JSON.parse(metadata) as { traceparent?: string };
  return traceparent?.split('-')[1];
};

interface Facts {
  readonly cancellationId?: string;
  readonly stoppedBy?: string;
  readonly contextId?: string;
  readonly child?: { readonly taskId: string };
}

const childIn = (type: string, { child }: Facts): string | undefined =>
  type === 'ChildLinked' || type === 'LateChildLinked' ? child?.taskId : undefined;

const loggedEvent = (
  event: RecordedEvent,
  place: Pick<LoggedEvent, 'stream' | 'taskId' | 'position'>,
): LoggedEvent => {
  const { revision, id, type } = event;
  const facts = JSON.parse(event.data) as Facts;
  const mark = markIn(event.metadata);
  const childTaskId = childIn(type, facts);
  return {
    ...place,
    revision,
    id,
    type,
    ...(mark !== undefined && { mark }),
    ...(facts.cancellationId !== undefined && { cancellationId: facts.cancellationId }),
    ...(facts.stoppedBy !== undefined && { stoppedBy: facts.stoppedBy }),
    ...(facts.contextId !== undefined && { contextId: facts.contextId }),
    ...(childTaskId !== undefined && { childTaskId }),
  };
};

/** The id that stands in front of every position of the edge. */
const logIdIn = (events: readonly RecordedEvent[], prefix: string): string => {
  const opened = events.find(({ stream }) => stream === `${prefix}log`);
  const { logId } = JSON.parse(opened?.data ?? '{}') as { logId?: string };
  if (logId === undefined) throw new Error('the log was never opened');
  return logId;
};

/** The events of tasks, and of what came late to them, as the checker reads them. */
export const loggedEvents = (events: readonly RecordedEvent[], prefix: string): readonly LoggedEvent[] => {
  const logId = logIdIn(events, prefix);
  return events.flatMap((event) => {
    const [, stream, taskId] = /^(task|late)-(.*)$/.exec(event.stream.slice(prefix.length)) ?? [];
    if (taskId === undefined || (stream !== 'task' && stream !== 'late')) return [];
    return [loggedEvent(event, { stream, taskId, position: `${logId}-${event.position}` })];
  });
};
