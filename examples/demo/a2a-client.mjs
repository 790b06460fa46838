// @ts-check
/** The user's side: the official A2A client. */
import { CancelTaskRequest, GetTaskRequest, SendMessageRequest, TaskState } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { randomUUID } from 'node:crypto';

/** Reads the agent card and connects with the best transport it names. @param {string} baseUrl */
export const connect = (baseUrl) => new ClientFactory().createFromUrl(baseUrl);

/**
 * A message of the user, as the client sends it.
 * @param {string} text
 * @param {{ taskId?: string, returnImmediately?: boolean }} [options] `taskId`: of the task it belongs to, else it
 *   makes a new one; `returnImmediately`: do not wait for what the agent does with it
 */
export const userMessage = (text, { taskId, returnImmediately = false } = {}) =>
  SendMessageRequest.fromJSON({
    message: {
      messageId: randomUUID(),
      role: 'ROLE_USER',
      parts: [{ text }],
      ...(taskId === undefined ? {} : { taskId }),
    },
    configuration: { returnImmediately },
  });

/** @param {string} id */
export const taskById = (id) => GetTaskRequest.fromJSON({ id });

/** @param {string} id @param {string} reason */
export const cancelOf = (id, reason) => CancelTaskRequest.fromJSON({ id, metadata: { reason } });

/** `TASK_STATE_INPUT_REQUIRED` → `input-required`. @param {TaskState | string | undefined} state */
export function stateName(state) {
  const name = typeof state === 'string' ? state : TaskState[state ?? TaskState.TASK_STATE_UNSPECIFIED];
  return String(name).replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
}

/**
 * The text of a message or an artifact, from the client's objects (`content`) as from JSON (`text`).
 * @param {{ parts: readonly ({ content?: { $case: string, value: unknown } | undefined } | { text?: string })[] } | undefined} said
 */
export const textOf = (said) => (said?.parts ?? []).map(textOfPart).join('');

/** @param {{ content?: { $case: string, value: unknown } | undefined } | { text?: string }} part */
function textOfPart(part) {
  if ('content' in part) return part.content?.$case === 'text' ? String(part.content.value) : '';
  return 'text' in part ? (part.text ?? '') : '';
}

/** An answer to a message is a task here: the ledger never answers with a bare message. @param {object} answer */
export function asTask(answer) {
  if ('status' in answer) return /** @type {import('@a2a-js/sdk').Task} */ (answer);
  throw new Error('the service answered with a message instead of a task');
}
