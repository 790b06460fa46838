import { asIs, field, isObject, listOf, objectOf, optionalText } from './normalise.js';

const base64Letters = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Base64 of either alphabet, padded or not. One letter left over holds no byte: it would be lost without a word. */
export const isBase64 = (text: string): boolean =>
  base64Letters.test(text) && text.replace(/=+$/, '').length % 4 !== 1;

/** Bytes are kept in the one form that the SDK's codec writes, so that every reader is shown the same text. */
const canonicalBytes = (value: unknown): unknown =>
  typeof value === 'string' && isBase64(value) ? Buffer.from(value, 'base64').toString('base64') : value;

const partFields = [
  field('text'),
  field('raw', canonicalBytes),
  field('url'),
  field('data'),
  field('metadata'),
  field('filename', optionalText),
  field('mediaType', optionalText),
];
const knownPart = objectOf(partFields);

/** `data: null` is a value (google.protobuf.Value), not an absent field. */
const readPart = (value: unknown): unknown => {
  const part = knownPart(value);
  return isObject(value) && value.data === null && Object.hasOwn(value, 'data')
    ? { ...(part as object), data: null }
    : part;
};

/** ProtoJSON takes an enum's number for its name. */
const readRole = (value: unknown): unknown => {
  if (value === 1) return 'ROLE_USER';
  return value === 2 ? 'ROLE_AGENT' : value;
};

export const readMessage = objectOf([
  field('messageId'),
  field('contextId', optionalText),
  field('taskId', optionalText),
  field('role', readRole),
  field('parts', listOf(readPart)),
  field('metadata'),
  field('extensions', listOf(asIs)),
  field('referenceTaskIds', listOf(asIs)),
]);

export const readArtifact = objectOf([
  field('artifactId'),
  field('name', optionalText),
  field('description', optionalText),
  field('parts', listOf(readPart)),
  field('metadata'),
  field('extensions', listOf(asIs)),
]);

/** C45: 1 to 256 characters, no control characters. NUL and lone halves are refused for the whole body (C13). */
export const idSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
} as const;

const textSchema = { type: 'string' } as const;
const objectSchema = { type: 'object' } as const;

const partSchema = {
  type: 'object',
  properties: {
    text: textSchema,
    raw: { type: 'string', format: 'base64' },
    url: { type: 'string', minLength: 1 },
    metadata: objectSchema,
    filename: textSchema,
    mediaType: textSchema,
  },
  oneOf: [{ required: ['text'] }, { required: ['raw'] }, { required: ['url'] }, { required: ['data'] }],
} as const;

export const messageSchema = {
  type: 'object',
  required: ['messageId', 'role', 'parts'],
  properties: {
    messageId: idSchema,
    contextId: idSchema,
    taskId: idSchema,
    role: { enum: ['ROLE_USER', 'ROLE_AGENT'] },
    parts: { type: 'array', minItems: 1, items: partSchema },
    metadata: objectSchema,
    extensions: { type: 'array', items: textSchema },
    referenceTaskIds: { type: 'array', items: idSchema },
  },
} as const;

export const artifactSchema = {
  type: 'object',
  required: ['artifactId', 'parts'],
  properties: {
    artifactId: idSchema,
    name: textSchema,
    description: textSchema,
    parts: { type: 'array', minItems: 1, items: partSchema },
    metadata: objectSchema,
    extensions: { type: 'array', items: textSchema },
  },
} as const;
