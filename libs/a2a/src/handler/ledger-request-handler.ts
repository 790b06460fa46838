import type {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from '@a2a-js/sdk';
import { PushNotificationNotSupportedError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { isUnexpected, toA2AError, type Operation } from '../errors.js';
import { callOf, type LedgerCallContext } from './call-context.js';
import { cancelTask } from './canceling.js';
import { sendMessageStream, subscribeToTask } from './following.js';
import { listTasks } from './listing.js';
import { readWireTask } from './reading.js';
import { sendMessage } from './sending.js';
import type { A2AServices } from './services.js';

const noPush = (): Promise<never> => Promise.reject(new PushNotificationNotSupportedError());

/**
 * The SDK's server interface over the ledger. Every error that leaves it is one of the SDK's (errors.ts). Streams
 * and waits end with `LedgerCallContext.signal`; what has been written does not depend on them (C08).
 */
export class LedgerRequestHandler implements A2ARequestHandler {
  constructor(private readonly services: A2AServices) {}

  getAgentCard(): Promise<AgentCard> {
    return Promise.resolve(this.services.card());
  }

  /** The card declares no extended card (specification §3.1.11). */
  getAuthenticatedExtendedAgentCard(): Promise<never> {
    return Promise.reject(new UnsupportedOperationError('There is no extended agent card.'));
  }

  sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Task> {
    return this.call('send', context, (call) => sendMessage(this.services, params, call));
  }

  sendMessageStream(
    params: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    return this.stream('send', context, (call) => sendMessageStream(this.services, params, call));
  }

  getTask(params: GetTaskRequest, context: ServerCallContext): Promise<Task> {
    return this.call('get', context, (call) =>
      readWireTask(this.services.reader, call, params.id, params.historyLength),
    );
  }

  listTasks(params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    return this.call('list', context, (call) => listTasks(this.services, params, call));
  }

  cancelTask(params: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    return this.call('cancel', context, (call) => cancelTask(this.services, params, call));
  }

  resubscribe(
    params: SubscribeToTaskRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    return this.stream('subscribe', context, (call) => subscribeToTask(this.services, params, call));
  }

  createTaskPushNotificationConfig = noPush;
  getTaskPushNotificationConfig = noPush;
  listTaskPushNotificationConfigs = noPush;
  deleteTaskPushNotificationConfig = noPush;

  private async call<Answer>(
    operation: Operation,
    context: ServerCallContext,
    work: (call: LedgerCallContext) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await work(callOf(context));
    } catch (error) {
      throw this.fault(error, operation);
    }
  }

  private async *stream(
    operation: Operation,
    context: ServerCallContext,
    work: (call: LedgerCallContext) => AsyncGenerator<StreamResponse, void, undefined>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      yield* work(callOf(context));
    } catch (error) {
      throw this.fault(error, operation);
    }
  }

  private fault(error: unknown, operation: Operation): Error {
    if (isUnexpected(error)) this.services.onUnexpected?.(error);
    return toA2AError(error, operation);
  }
}
