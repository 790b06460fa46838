import { randomUUID } from 'node:crypto';
import type { Artifact, JsonObject, Message } from '#domain';

export const userMessage = (text: string, more: Partial<Message> = {}): Message => ({
  messageId: randomUUID(),
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});

export const agentMessage = (text: string, more: Partial<Message> = {}): Message => ({
  messageId: randomUUID(),
  role: 'ROLE_AGENT',
  parts: [{ text }],
  ...more,
});

export const artifact = (
  artifactId: string,
  texts: readonly string[],
  more: Partial<Artifact> = {},
): Artifact => ({
  artifactId,
  parts: texts.map((text): JsonObject => ({ text })),
  ...more,
});

/** The texts of parts, one after the other. */
export const textsOf = (parts: readonly JsonObject[] | undefined): unknown[] =>
  (parts ?? []).map((part) => part.text);

/** The ledger's own extension of A2A: options of a request, and facts of an answer, stand under it in the metadata. */
export const ledgerExtension = 'https://a2a-task-ledger.dev/extensions/ledger/v1';
