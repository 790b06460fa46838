import type { Type } from '@nestjs/common';
import { checkArtifact, checkMessage } from '#a2a';
import type { Artifact, JsonObject, Message } from '#domain';
import { bodyFieldsOf, Checked, Told } from '../request/body-fields.js';
import { refuseUnknown } from '../request/body.pipe.js';
import { isJsonObject } from '../request/values.js';

const text = { type: String };
const freeObject = { type: 'object', additionalProperties: true } as const;
const optional = { optional: true } as const;

/** One of text, raw, url, data (A2A 1.0, §4.1.6). */
export class PartDto {
  @Told(text, optional) readonly text?: string;
  @Told({ type: String, format: 'byte' }, optional) readonly raw?: string;
  @Told(text, optional) readonly url?: string;
  @Told({ description: 'Any JSON value.' }, optional) readonly data?: unknown;
  @Told(text, optional) readonly filename?: string;
  @Told(text, optional) readonly mediaType?: string;
  @Told(freeObject, optional) readonly metadata?: JsonObject;
}

const parts = { type: () => [PartDto], minItems: 1 };

/** A2A 1.0 Message in ProtoJSON (§4.1.4). */
export class MessageDto {
  @Told(text) readonly messageId!: string;
  @Told({ type: String, enum: ['ROLE_USER', 'ROLE_AGENT'] }) readonly role!: Message['role'];
  @Told(parts) readonly parts!: readonly JsonObject[];
  @Told(text, optional) readonly contextId?: string;
  @Told(text, optional) readonly taskId?: string;
  @Told(freeObject, optional) readonly metadata?: JsonObject;
  @Told({ type: [String] }, optional) readonly extensions?: readonly string[];
  @Told({ type: [String] }, optional) readonly referenceTaskIds?: readonly string[];
}

/** A2A 1.0 Artifact in ProtoJSON (§4.1.7). */
export class ArtifactDto {
  @Told(text) readonly artifactId!: string;
  @Told(parts) readonly parts!: readonly JsonObject[];
  @Told(text, optional) readonly name?: string;
  @Told(text, optional) readonly description?: string;
  @Told(freeObject, optional) readonly metadata?: JsonObject;
  @Told({ type: [String] }, optional) readonly extensions?: readonly string[];
}

/**
 * A2A ignores names that it does not know; this API refuses them, so that nothing a client sent is lost unnoticed.
 * What the values may be is decided by the one reader of both doors, which stores the same form for both.
 */
const refuseUnknownNames = (value: unknown, type: Type, path: string): void => {
  if (!isJsonObject(value)) return;
  refuseUnknown(value, bodyFieldsOf(type), path);
  if (!Array.isArray(value.parts)) return;
  for (const [index, part] of (value.parts as unknown[]).entries()) {
    if (isJsonObject(part)) refuseUnknown(part, bodyFieldsOf(PartDto), `${path}.parts[${String(index)}]`);
  }
};

const readMessage = (value: unknown, path: string): Message => {
  refuseUnknownNames(value, MessageDto, path);
  return checkMessage(value, path);
};

const readArtifact = (value: unknown, path: string): Artifact => {
  refuseUnknownNames(value, ArtifactDto, path);
  return checkArtifact(value, path);
};

export const MessageField = (presence: { optional?: true } = {}): PropertyDecorator =>
  Checked({ ...presence, type: () => MessageDto, convert: readMessage });

export const ArtifactField = (): PropertyDecorator =>
  Checked({ type: () => ArtifactDto, convert: readArtifact });
