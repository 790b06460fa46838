import type { JsonObject } from '#domain';
import { extensionUri } from '../extension.js';
import { stateNames, stateNumbers } from '../rendering/states.js';
import { idSchema, messageSchema, readMessage } from './content.js';
import { asIs, field, listOf, objectOf, optionalText } from './normalise.js';

/** How the params of one method are read and what they must be (specification §9.4, a2a.proto). */
export interface MethodParams {
  readonly read: (params: unknown) => unknown;
  readonly schema: JsonObject;
}

const int32Max = 2_147_483_647;
const text = { type: 'string' } as const;
const historyLength = { type: 'integer', minimum: 0, maximum: int32Max } as const;

/** Characters of a page token; ours are far below. */
const pageTokenLengthMax = 2_048;

/** Options that stand under our extension in the metadata of a request; an unknown one is refused by its name. */
const under = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties: { [extensionUri]: { type: 'object', properties, additionalProperties: false } },
});
const sendOptions = under({ idempotencyKey: idSchema });
const cancelOptions = under({
  idempotencyKey: idSchema,
  reason: text,
  mode: { enum: ['immediate', 'cooperative'] },
  graceMs: { type: 'integer', minimum: 1_000, maximum: 86_400_000 },
  cascade: { type: 'boolean' },
});

const tenant = field('tenant', optionalText);

const readConfiguration = objectOf([
  field('acceptedOutputModes', listOf(asIs)),
  field('taskPushNotificationConfig'),
  field('historyLength'),
  field('returnImmediately'),
]);

const send: MethodParams = {
  read: objectOf([
    tenant,
    field('message', readMessage),
    field('configuration', readConfiguration),
    field('metadata'),
  ]),
  schema: {
    type: 'object',
    required: ['message'],
    properties: {
      tenant: text,
      message: { allOf: [messageSchema, { properties: { metadata: sendOptions } }] },
      configuration: {
        type: 'object',
        properties: {
          acceptedOutputModes: { type: 'array', items: text },
          taskPushNotificationConfig: { type: 'object' },
          historyLength,
          returnImmediately: { type: 'boolean' },
        },
      },
      metadata: sendOptions,
    },
  },
};

const get: MethodParams = {
  read: objectOf([tenant, field('id'), field('historyLength')]),
  schema: { type: 'object', required: ['id'], properties: { tenant: text, id: idSchema, historyLength } },
};

const statusByNumber = new Map<unknown, string | undefined>([
  [0, undefined],
  ['TASK_STATE_UNSPECIFIED', undefined],
  ...stateNumbers.map((number, index) => [number, stateNames[index]] as const),
]);

/** ProtoJSON takes an enum's number for its name; UNSPECIFIED is no filter. */
const readStatus = (value: unknown): unknown =>
  statusByNumber.has(value) ? statusByNumber.get(value) : value;

const list: MethodParams = {
  read: objectOf([
    tenant,
    field('contextId', optionalText),
    field('status', readStatus),
    field('pageSize'),
    field('pageToken', optionalText),
    field('historyLength'),
    field('statusTimestampAfter', optionalText),
    field('includeArtifacts'),
  ]),
  schema: {
    type: 'object',
    properties: {
      tenant: text,
      contextId: idSchema,
      status: { enum: stateNames },
      pageSize: { type: 'integer', minimum: 1, maximum: 100 },
      pageToken: { type: 'string', maxLength: pageTokenLengthMax },
      historyLength,
      statusTimestampAfter: text,
      includeArtifacts: { type: 'boolean' },
    },
  },
};

const cancel: MethodParams = {
  read: objectOf([tenant, field('id'), field('metadata')]),
  schema: {
    type: 'object',
    required: ['id'],
    properties: { tenant: text, id: idSchema, metadata: cancelOptions },
  },
};

const subscribe: MethodParams = {
  read: objectOf([tenant, field('id')]),
  schema: { type: 'object', required: ['id'], properties: { tenant: text, id: idSchema } },
};

/** Push and the extended card are not offered: whatever is asked of them is refused alike. */
const notOffered: MethodParams = {
  read: objectOf([tenant]),
  schema: { type: 'object', properties: { tenant: text } },
};

export const methods = {
  SendMessage: send,
  SendStreamingMessage: send,
  GetTask: get,
  ListTasks: list,
  CancelTask: cancel,
  SubscribeToTask: subscribe,
  CreateTaskPushNotificationConfig: notOffered,
  GetTaskPushNotificationConfig: notOffered,
  ListTaskPushNotificationConfigs: notOffered,
  DeleteTaskPushNotificationConfig: notOffered,
  GetExtendedAgentCard: notOffered,
} as const satisfies Record<string, MethodParams>;

export type Method = keyof typeof methods;

export const isMethod = (name: string): name is Method => Object.hasOwn(methods, name);
