import { Message as MessageCodec, type SendMessageRequest, type Task as WireTask } from '@a2a-js/sdk';
import { PushNotificationNotSupportedError } from '@a2a-js/sdk/errors';
import type { TaskChange, WriteOptions, WrittenMessage } from '#application';
import { invalid, type JsonObject, type Message, type TaskEventType } from '#domain';
import { checkMessage } from '../params/check.js';
import { wireTask } from '../rendering/task.js';
import type { LedgerCallContext } from './call-context.js';
import { optionsUnderExtension } from './options.js';
import { readWireTask } from './reading.js';
import type { A2AServices } from './services.js';

const ends: readonly TaskEventType[] = [
  'TaskCompleted',
  'TaskFailed',
  'TaskRejected',
  'TaskCanceled',
  'TaskStopped',
];

/** Events that end a task or ask the user for input: a SendStreamingMessage stream closes with them. */
const closing = new Set<TaskEventType>([...ends, 'TaskInputRequested']);

/** Events that a blocking send waits for: authorization is asked of the caller too (specification §3.2.2). */
const answering = new Set<TaskEventType>([...closing, 'TaskAuthRequested']);

/** The event decides, not the state: the state before the message, which it may still have, never counts. */
export const closesSendStream = ({ event }: TaskChange): boolean => closing.has(event.type);
const answersSend = ({ event }: TaskChange): boolean => answering.has(event.type);

const messageOf = (params: SendMessageRequest, call: LedgerCallContext): Message => {
  if (call.message !== undefined) return call.message;
  if (params.message === undefined) throw invalid('message', 'is required');
  return checkMessage(MessageCodec.toJSON(params.message), 'message');
};

/** The key of a send: the header, or the extension's metadata of the request or of the message. */
const keyOf = (
  call: LedgerCallContext,
  message: Message,
  metadata: JsonObject | undefined,
): string | undefined =>
  call.facts.idempotencyKey ??
  optionsUnderExtension(metadata).idempotencyKey ??
  optionsUnderExtension(message.metadata).idempotencyKey;

const writeOptions = (idempotencyKey: string | undefined): WriteOptions =>
  idempotencyKey === undefined ? {} : { idempotencyKey };

/** Appends the message: to its task, or as the first of a new one. */
export const recordSend = async (
  services: A2AServices,
  params: SendMessageRequest,
  call: LedgerCallContext,
): Promise<WrittenMessage> => {
  // No webhook can be kept: nothing is stored rather than a task that will never call back.
  if (params.configuration?.taskPushNotificationConfig !== undefined)
    throw new PushNotificationNotSupportedError();
  const message = messageOf(params, call);
  const metadata = params.metadata as JsonObject | undefined;
  const sent = metadata === undefined ? { message } : { message, metadata };
  const written = await services.commands.send(
    call.caller,
    sent,
    writeOptions(keyOf(call, message, metadata)),
  );
  if (written.position !== undefined) call.position = written.position;
  return written;
};

/**
 * SendMessage (specification §3.1.1): waits for the first answer after its own message, at most
 * `blockingTimeoutMs`; with `returnImmediately` not at all. Then the task as it is.
 */
export const sendMessage = async (
  services: A2AServices,
  params: SendMessageRequest,
  call: LedgerCallContext,
): Promise<WireTask> => {
  const written = await recordSend(services, params, call);
  const { taskId } = written.task;
  const historyLength = params.configuration?.historyLength;
  if (params.configuration?.returnImmediately === true) {
    // What a create has just appended is all there is to the task: nothing needs to be read.
    if (written.document !== undefined) return wireTask(written.task, written.document, { historyLength });
  } else {
    await services.live.waitFor(taskId, written.messageRevision, answersSend, {
      timeoutMs: services.blockingTimeoutMs,
      signal: call.signal,
    });
  }
  return readWireTask(services.reader, call, taskId, historyLength);
};
