import type { Message } from '#domain';
import type { RpcError, WireStreamResponse, WireTask, WireTaskList } from './a2a-wire.js';
import { callerHeaders, type TestCaller } from './callers.js';
import { EventFrames, type Frame, openFrames } from './event-frames.js';
import { type Answer, httpRequest, type HttpRequest } from './http.js';
import { userMessage } from './messages.js';

/** A JSON-RPC answer; `result` insists on a success, `error` on an error. */
export class RpcAnswer<Result> {
  constructor(readonly http: Answer<unknown>) {}

  get json(): { jsonrpc?: unknown; id?: unknown; result?: unknown; error?: RpcError } {
    return this.http.json as { jsonrpc?: unknown; id?: unknown; result?: unknown; error?: RpcError };
  }

  get id(): unknown {
    return this.json.id;
  }

  get result(): Result {
    const { result, error } = this.json;
    if (error !== undefined || result === undefined)
      throw new Error(`expected a result, got ${String(this.http.status)} ${this.http.text}`);
    return result as Result;
  }

  get error(): RpcError {
    const { error } = this.json;
    if (error === undefined) throw new Error(`expected an error, got ${this.http.text}`);
    return error;
  }

  /** The error's code, or undefined for a result. */
  get code(): number | undefined {
    return this.json.error?.code;
  }
}

export interface SendOptions {
  readonly taskId?: string;
  readonly contextId?: string;
  readonly messageId?: string;
  readonly message?: Partial<Message>;
  readonly configuration?: Record<string, unknown>;
  readonly metadata?: Record<string, unknown>;
}

/** A2A 1.0 over JSON-RPC, spoken raw, so that what stands on the wire is what a test sees. */
export class A2aRpc {
  constructor(
    private readonly service: { readonly url: string },
    private readonly caller?: TestCaller,
  ) {}

  get endpoint(): string {
    return `${this.service.url}/a2a/jsonrpc`;
  }

  /** Any body with any headers. */
  async raw(body: unknown, headers: Record<string, string> = {}): Promise<RpcAnswer<unknown>> {
    return new RpcAnswer(await httpRequest(this.endpoint, this.request(body, headers)));
  }

  async call(
    method: string,
    params: unknown,
    headers: Record<string, string> = {},
  ): Promise<RpcAnswer<unknown>> {
    return this.raw({ jsonrpc: '2.0', id: 1, method, params }, headers);
  }

  async send(text: string, options: SendOptions = {}): Promise<RpcAnswer<{ task: WireTask }>> {
    return (await this.call('SendMessage', sendParams(text, options))) as RpcAnswer<{ task: WireTask }>;
  }

  /** NEW of the field cases: SendMessage with `returnImmediately` and a fresh `messageId`. */
  async newTask(text = 'work', options: SendOptions = {}): Promise<WireTask> {
    const configuration = { returnImmediately: true, ...options.configuration };
    return (await this.send(text, { ...options, configuration })).result.task;
  }

  async getTask(id: string, more: Record<string, unknown> = {}): Promise<RpcAnswer<WireTask>> {
    return (await this.call('GetTask', { id, ...more })) as RpcAnswer<WireTask>;
  }

  async cancelTask(id: string, more: Record<string, unknown> = {}): Promise<RpcAnswer<WireTask>> {
    return (await this.call('CancelTask', { id, ...more })) as RpcAnswer<WireTask>;
  }

  async listTasks(params: Record<string, unknown> = {}): Promise<RpcAnswer<WireTaskList>> {
    return (await this.call('ListTasks', params)) as RpcAnswer<WireTaskList>;
  }

  /** SendStreamingMessage; fails where the answer is not a stream. */
  async stream(text: string, options: SendOptions = {}): Promise<EventFrames> {
    return openFrames(this.endpoint, this.streamRequest('SendStreamingMessage', sendParams(text, options)));
  }

  /** SubscribeToTask; the plain answer where it is refused. */
  async trySubscribe(
    id: string,
    headers: Record<string, string> = {},
  ): Promise<EventFrames | RpcAnswer<unknown>> {
    const opened = await EventFrames.open(
      this.endpoint,
      this.streamRequest('SubscribeToTask', { id }, headers),
    );
    return opened instanceof EventFrames ? opened : new RpcAnswer(opened);
  }

  async subscribe(id: string, headers: Record<string, string> = {}): Promise<EventFrames> {
    return openFrames(this.endpoint, this.streamRequest('SubscribeToTask', { id }, headers));
  }

  private streamRequest(method: string, params: unknown, headers: Record<string, string> = {}): HttpRequest {
    return this.request({ jsonrpc: '2.0', id: 'stream', method, params }, headers);
  }

  private request(body: unknown, headers: Record<string, string>): HttpRequest {
    return {
      method: 'POST',
      body,
      headers: { 'A2A-Version': '1.0', ...callerHeaders(this.caller), ...headers },
    };
  }
}

export const sendParams = (text: string, options: SendOptions = {}): Record<string, unknown> => {
  const { taskId, contextId, messageId, message, configuration, metadata } = options;
  return {
    message: {
      ...userMessage(text, message),
      ...(taskId === undefined ? {} : { taskId }),
      ...(contextId === undefined ? {} : { contextId }),
      ...(messageId === undefined ? {} : { messageId }),
    },
    ...(configuration === undefined ? {} : { configuration }),
    ...(metadata === undefined ? {} : { metadata }),
  };
};

/** What one frame of a JSON-RPC stream says; the frame's envelope must be a success. */
export const streamResponse = (frame: Frame): WireStreamResponse => {
  const { result, error } = JSON.parse(frame.data) as { result?: WireStreamResponse; error?: RpcError };
  if (result === undefined) throw new Error(`expected a stream response, got ${JSON.stringify(error)}`);
  return result;
};

/** The state a frame shows, of a task or of a status update; undefined for an artifact. */
export const stateIn = (frame: Frame): string | undefined => {
  const { task, statusUpdate } = streamResponse(frame);
  return (task ?? statusUpdate)?.status.state;
};
