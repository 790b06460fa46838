import type { SendMessageRequest, StreamResponse, SubscribeToTaskRequest } from '@a2a-js/sdk';
import { UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { TaskChange, TaskView } from '#application';
import { isTerminal } from '#domain';
import { toStreamResponse } from '../rendering/stream.js';
import { wireTask } from '../rendering/task.js';
import type { LedgerCallContext } from './call-context.js';
import { historyLengthOf, messagesToLoad } from './reading.js';
import { closesSendStream, recordSend } from './sending.js';
import type { A2AServices } from './services.js';

type Frames = AsyncGenerator<StreamResponse, void, undefined>;

const revision = /^\d{1,9}$/;

/** The revision that a `Last-Event-ID` names, if it is of this task. */
const revisionSeen = (lastEventId: string | undefined, taskId: string): number | undefined => {
  const prefix = `${taskId}.`;
  if (lastEventId?.startsWith(prefix) !== true) return undefined;
  const digits = lastEventId.slice(prefix.length);
  return revision.test(digits) ? Number(digits) : undefined;
};

/** The task as of the last frame that the client saw; undefined when there is no such frame. */
const viewSeen = async (
  services: A2AServices,
  call: LedgerCallContext,
  now: TaskView,
): Promise<TaskView | undefined> => {
  const { taskId } = now.task;
  const seen = revisionSeen(call.facts.lastEventId, taskId);
  if (seen === undefined || seen > now.task.revision) return undefined;
  return seen === now.task.revision ? now : services.reader.replay(call.caller, taskId, { revision: seen });
};

interface Follow {
  readonly from: TaskView;
  readonly historyLength?: number | undefined;
  /** Whether the first frame already says all there is to say. */
  readonly closed: boolean;
  readonly closes: (change: TaskChange) => boolean;
}

/** The task, then everything after it, exactly once. Ends with the task, at `closes`, or with the client. */
async function* follow(services: A2AServices, call: LedgerCallContext, what: Follow): Frames {
  const { task, document } = what.from;
  call.frameId = `${task.taskId}.${String(task.revision)}`;
  const historyLength = historyLengthOf(what.historyLength);
  yield { payload: { $case: 'task', value: wireTask(task, document, { historyLength }) } };
  if (what.closed || isTerminal(task.state)) return;
  for await (const change of services.live.watch(task.taskId, task.revision, call.signal, call.caller)) {
    const frame = toStreamResponse(change);
    if (frame !== undefined) {
      call.frameId = `${task.taskId}.${String(change.event.revision)}`;
      yield frame;
    }
    // Of its own end the watch is asked once more: only then is it known that the client has the last change.
    if (what.closes(change) && !isTerminal(change.task.state)) return;
  }
}

/** Whether what a SendStreamingMessage waits for has come between its message and the first frame. */
const answeredAlready = ({ task }: TaskView, messageRevision: number): boolean =>
  task.statusRevision > messageRevision && task.state === 'input-required';

/** SendStreamingMessage (specification §3.1.2): stays open in auth-required, closes at input-required and at the end. */
export async function* sendMessageStream(
  services: A2AServices,
  params: SendMessageRequest,
  call: LedgerCallContext,
): Frames {
  const { task, messageRevision } = await recordSend(services, params, call);
  const historyLength = params.configuration?.historyLength;
  const now = await services.reader.read(call.caller, task.taskId, {
    messages: messagesToLoad(historyLength),
  });
  const seen = await viewSeen(services, call, now);
  const from = seen !== undefined && seen.task.revision >= messageRevision ? seen : now;
  const closed = answeredAlready(from, messageRevision);
  yield* follow(services, call, { from, historyLength, closed, closes: closesSendStream });
}

/** SubscribeToTask (specification §3.1.6): closes only with the task. C18: an ended task is refused before any frame. */
export async function* subscribeToTask(
  services: A2AServices,
  params: SubscribeToTaskRequest,
  call: LedgerCallContext,
): Frames {
  const now = await services.reader.read(call.caller, params.id, { messages: messagesToLoad(undefined) });
  const seen = await viewSeen(services, call, now);
  if (seen === undefined && isTerminal(now.task.state)) {
    throw new UnsupportedOperationError('The task has ended: there is nothing to subscribe to.');
  }
  yield* follow(services, call, { from: seen ?? now, closed: false, closes: () => false });
}
