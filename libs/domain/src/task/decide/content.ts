import { invalid } from '../../errors.js';
import { isJsonObject } from '../../json.js';
import type { Artifact, Message } from '../../content.js';
import { assertId } from '../../text/ids.js';
import { resultArtifactId } from '../artifacts.js';

const assertParts = (parts: unknown, field: string): void => {
  if (!Array.isArray(parts) || parts.length === 0) throw invalid(field, 'must have at least one part');
  if (!parts.every(isJsonObject)) throw invalid(field, 'must hold parts');
};

const assertSame = (said: string | undefined, actual: string, field: string): void => {
  // ProtoJSON writes an unset string as an empty one.
  if (said !== undefined && said !== '' && said !== actual) throw invalid(field, 'is not that of the task');
};

/**
 * A message that may enter a task: complete, and not meant for another task or context (C06).
 * @throws DomainError `invalid-request` naming `message.<field>`
 */
export const assertMessage = (
  message: Message,
  task: { readonly taskId: string; readonly contextId: string },
): void => {
  if (!isJsonObject(message)) throw invalid('message', 'must be an object');
  assertId(message.messageId, 'message.messageId');
  if (!['ROLE_USER', 'ROLE_AGENT'].includes(message.role)) {
    throw invalid('message.role', 'must be ROLE_USER or ROLE_AGENT');
  }
  assertParts(message.parts, 'message.parts');
  assertSame(message.taskId, task.taskId, 'message.taskId');
  assertSame(message.contextId, task.contextId, 'message.contextId');
};

/** @throws DomainError `invalid-request` naming `artifact.<field>` */
export const assertArtifact = (artifact: Artifact, taskId: string): void => {
  if (!isJsonObject(artifact)) throw invalid('artifact', 'must be an object');
  assertId(artifact.artifactId, 'artifact.artifactId');
  if (artifact.artifactId === resultArtifactId(taskId)) {
    throw invalid('artifact.artifactId', 'is that of the result, which comes with to: completed');
  }
  assertParts(artifact.parts, 'artifact.parts');
};
