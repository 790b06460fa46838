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
