import { randomUUID } from 'node:crypto';
import { rpc } from '../load/client.mjs';

/** The message of every measure: 62 characters of text, as people write to agents. */
export const text = 'Summarise the quarterly report and list the three main risks.';

/** @param {object} more @returns {object} an A2A 1.0 message */
export const message = (more = {}) => ({
  messageId: 'message-1',
  role: 'ROLE_USER',
  parts: [{ text, mediaType: 'text/plain' }],
  metadata: { trace: 'b7ad6b7169203331', priority: 3 },
  ...more,
});

/** A new task in a given context. */
export const sendMessageBody = rpc('SendMessage', {
  message: message({ contextId: 'context-1' }),
  configuration: { acceptedOutputModes: ['text/plain'], returnImmediately: true, historyLength: 10 },
});

/** The first event of a task, as the service stores it, for those who append to a store without a service. */
export function taskSubmitted() {
  const taskId = randomUUID();
  const first = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text, mediaType: 'text/plain' }] };
  const at = new Date().toISOString();
  return {
    id: randomUUID(),
    type: 'TaskSubmitted',
    data: JSON.stringify({
      at,
      taskId,
      contextId: randomUUID(),
      rootTaskId: taskId,
      messageId: first.messageId,
      content: { enc: 'none', body: { message: first } },
    }),
    metadata: JSON.stringify({
      tenant: 'default',
      owner: 'anonymous',
      principal: 'anonymous',
      role: 'user',
      via: 'a2a-jsonrpc',
      commandId: randomUUID(),
      $causationId: randomUUID(),
      $correlationId: taskId,
    }),
  };
}
