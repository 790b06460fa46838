import type { JsonObject } from './json.js';

/**
 * What people and agents wrote, kept apart from the facts that decisions rest on, so that it can later be encrypted
 * per task and erased by destroying a key. Decisions never look inside.
 */
export interface Content<Body> {
  readonly enc: 'none';
  readonly body: Body;
}

export const plain = <Body>(body: Body): Content<Body> => ({ enc: 'none', body });

/** A2A 1.0 Message in ProtoJSON (specification §4.1.4), as it was sent. */
export interface Message {
  readonly messageId: string;
  readonly role: 'ROLE_USER' | 'ROLE_AGENT';
  readonly parts: readonly JsonObject[];
  readonly contextId?: string;
  readonly taskId?: string;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

/** A2A 1.0 Artifact in ProtoJSON (specification §4.1.7), as it was sent. */
export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly JsonObject[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}
