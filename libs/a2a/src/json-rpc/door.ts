import { JsonRpcTransportHandler, type A2ARequestHandler } from '@a2a-js/sdk/server';
import { invalid, type JsonObject, type Message } from '#domain';
import type { Operation } from '../errors.js';
import type { LedgerCallContext } from '../handler/call-context.js';
import { assertStorable } from '../params/body.js';
import { checkParams } from '../params/check.js';
import { isMethod, type Method } from '../params/methods.js';
import { isObject } from '../params/normalise.js';
import { negotiateVersion } from '../version.js';
import {
  envelopeCodes,
  errorBody,
  readEnvelope,
  type Envelope,
  type JsonRpcBody,
  type JsonRpcError,
} from './envelope.js';
import { completeError, errorAnswer } from './error.js';

export interface JsonRpcCall {
  /** The body as it came. */
  readonly text: string;
  readonly versionHeader?: string | undefined;
  readonly versionQuery?: string | undefined;
  /** Made once the version is settled. @throws DomainError when the caller is not known */
  readonly context: (version: string) => LedgerCallContext;
}

export interface StreamFrame {
  /** `<taskId>.<revision>`; on an error, after which nothing follows, that of the frame before it. */
  readonly id: string;
  readonly body: JsonRpcBody;
}

export type JsonRpcAnswer =
  | {
      readonly kind: 'body';
      readonly status: number;
      readonly body: JsonRpcBody;
      readonly context?: LedgerCallContext;
    }
  | {
      readonly kind: 'stream';
      readonly frames: AsyncGenerator<StreamFrame, void, undefined>;
      readonly context: LedgerCallContext;
    };

type WireBody = JsonRpcBody & { readonly error?: JsonRpcError };
type WireFrames = AsyncGenerator<WireBody, void, undefined>;

const operations = {
  SendMessage: 'send',
  SendStreamingMessage: 'send',
  GetTask: 'get',
  ListTasks: 'list',
  CancelTask: 'cancel',
  SubscribeToTask: 'subscribe',
  CreateTaskPushNotificationConfig: 'get',
  GetTaskPushNotificationConfig: 'get',
  ListTaskPushNotificationConfigs: 'get',
  DeleteTaskPushNotificationConfig: 'get',
  GetExtendedAgentCard: 'get',
} as const satisfies Record<Method, Operation>;

const checkedParams = (method: Method, envelope: Envelope, text: string): JsonObject => {
  const { params } = envelope;
  if (params !== undefined && params !== null && !isObject(params))
    throw invalid('params', 'must be an object');
  assertStorable(text, params);
  return checkParams(method, params);
};

const isFrames = (result: unknown): result is WireFrames =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result;

/**
 * JSON-RPC over the SDK's transport (specification §9). What the SDK leaves open is done here, in this order:
 * envelope, version, method, caller, raw params; and C18, an error before the first frame is an ordinary answer.
 */
export class JsonRpcDoor {
  private readonly transport: JsonRpcTransportHandler;

  constructor(handler: A2ARequestHandler) {
    this.transport = new JsonRpcTransportHandler(handler);
  }

  async answer(call: JsonRpcCall): Promise<JsonRpcAnswer> {
    const read = readEnvelope(call.text);
    if (!read.ok) return { kind: 'body', status: 200, body: read.body };
    const { id, method } = read.envelope;
    try {
      const version = negotiateVersion(call.versionHeader, call.versionQuery);
      if (!isMethod(method)) {
        const error = { code: envelopeCodes.method, message: 'There is no such method.' };
        return { kind: 'body', status: 200, body: errorBody(id, error) };
      }
      const context = call.context(version);
      const params = checkedParams(method, read.envelope, call.text);
      return await this.dispatch({ id, method, params }, context);
    } catch (error) {
      const operation = isMethod(method) ? operations[method] : 'get';
      const { status, error: body } = errorAnswer(error, operation);
      return { kind: 'body', status, body: errorBody(id, body) };
    }
  }

  private async dispatch(
    { id, method, params }: { id: Envelope['id']; method: Method; params: JsonObject },
    context: LedgerCallContext,
  ): Promise<JsonRpcAnswer> {
    if (isObject(params.message)) context.message = params.message as unknown as Message;
    const result: unknown = await this.transport.handle({ jsonrpc: '2.0', id, method, params }, context);
    if (isFrames(result)) return this.stream(result, id, operations[method], context);
    const body = result as WireBody;
    if (body.error === undefined) return { kind: 'body', status: 200, body, context };
    const { status, error } = completeError(body.error);
    return { kind: 'body', status, body: errorBody(id, error), context };
  }

  /** Waits for the first frame: until then an error is an ordinary answer. It is thrown from here. */
  private async stream(
    wire: WireFrames,
    id: Envelope['id'],
    operation: Operation,
    context: LedgerCallContext,
  ): Promise<JsonRpcAnswer> {
    const first = await wire.next();
    return { kind: 'stream', context, frames: framesOf(first, wire, { id, operation, context }) };
  }
}

interface Streamed {
  readonly id: Envelope['id'];
  readonly operation: Operation;
  readonly context: LedgerCallContext;
}

/** Pulled one at a time, so the context's frame id is always that of the frame in hand. */
async function* framesOf(
  first: IteratorResult<WireBody, void>,
  wire: WireFrames,
  { id, operation, context }: Streamed,
): AsyncGenerator<StreamFrame, void, undefined> {
  try {
    for (let next = first; next.done !== true; next = await wire.next()) {
      yield { id: context.frameId, body: next.value };
    }
  } catch (error) {
    yield { id: context.frameId, body: errorBody(id, errorAnswer(error, operation).error) };
  } finally {
    await wire.return();
  }
}
