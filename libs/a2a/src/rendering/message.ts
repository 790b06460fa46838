import {
  Role,
  type Artifact as WireArtifact,
  type Message as WireMessage,
  type Part as WirePart,
} from '@a2a-js/sdk';
import type { Artifact, JsonObject, Message } from '#domain';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Built here, not by the SDK's `Part.fromJSON`, which loses `data: null` (it takes null for absent). The SDK's
 * `toJSON` writes it as it was sent.
 */
const contentOf = (part: JsonObject): WirePart['content'] => {
  if (typeof part.text === 'string') return { $case: 'text', value: part.text };
  if (typeof part.raw === 'string') return { $case: 'raw', value: Buffer.from(part.raw, 'base64') };
  if (typeof part.url === 'string') return { $case: 'url', value: part.url };
  return 'data' in part ? { $case: 'data', value: part.data } : undefined;
};

const metadataOf = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : undefined;

const wirePart = (part: JsonObject): WirePart => ({
  content: contentOf(part),
  metadata: metadataOf(part.metadata),
  filename: text(part.filename),
  mediaType: text(part.mediaType),
});

/** A stored message (ProtoJSON) as the SDK's codec holds it. */
export const wireMessage = (message: Message): WireMessage => ({
  messageId: message.messageId,
  contextId: message.contextId ?? '',
  taskId: message.taskId ?? '',
  role: message.role === 'ROLE_USER' ? Role.ROLE_USER : Role.ROLE_AGENT,
  parts: message.parts.map(wirePart),
  metadata: message.metadata,
  extensions: message.extensions === undefined ? [] : [...message.extensions],
  referenceTaskIds: message.referenceTaskIds === undefined ? [] : [...message.referenceTaskIds],
});

/** A stored artifact, or a chunk of one, as the SDK's codec holds it. */
export const wireArtifact = (artifact: Artifact): WireArtifact => ({
  artifactId: artifact.artifactId,
  name: artifact.name ?? '',
  description: artifact.description ?? '',
  parts: artifact.parts.map(wirePart),
  metadata: artifact.metadata,
  extensions: artifact.extensions === undefined ? [] : [...artifact.extensions],
});
