import type { Json, JsonObject, LedgerRow, Loss, Message } from '#domain';
import type { WireTask } from './a2a-wire.js';
import { callerHeaders, type TestCaller } from './callers.js';
import type { CancellationPlan, Certificate, ListedCancellations, TaskCancellation } from './certificates.js';
import { type EventFrames, openFrames } from './event-frames.js';
import { type Answer, httpRequest } from './http.js';
import { agentMessage, artifact } from './messages.js';

/** Answers of the ledger API beside the row; only what tests look at is typed. */
export interface StoredEvent {
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly occurredAt?: string;
  readonly data: JsonObject;
  readonly metadata: Readonly<Record<string, string>>;
}
export interface EventPage {
  readonly events: readonly StoredEvent[];
  readonly next?: number;
}
export interface TimelineEntry {
  readonly revision: number;
  readonly at: string;
  readonly kind: string;
  readonly actor: { readonly principal: string };
}
export interface Replay {
  readonly revision: number;
  readonly at: string;
  readonly row: LedgerRow;
  readonly task: WireTask;
}
export interface TreeNode {
  readonly taskId: string;
  readonly state: string;
  readonly policy?: string;
  readonly onEnd?: string;
  readonly late?: true;
  readonly children: readonly TreeNode[];
  readonly more?: true;
}
export interface Translated {
  readonly dialect: string;
  readonly value: JsonObject;
  readonly losses: readonly Loss[];
}
export interface ListedRows {
  readonly rows: readonly (LedgerRow & { readonly openChildren: number; readonly rootTaskId: string })[];
  readonly nextPageToken: string;
  readonly totalSize: number;
  readonly position: string;
}
export interface WhyStep {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly at: string;
  readonly principal: string;
  readonly via: string;
  readonly reason?: string;
}
export interface Transition {
  readonly to: string;
  readonly message?: Message;
  readonly reason?: string;
  readonly stoppedBy?: string;
  readonly result?: Json;
  readonly askSchema?: JsonObject;
  readonly checkpointToken?: string;
  readonly occurredAt?: string;
  readonly metadata?: JsonObject;
}
type Headers = Readonly<Record<string, string>>;

/** The ledger API as one caller. */
export class LedgerApi {
  constructor(
    private readonly service: { readonly url: string },
    private readonly caller?: TestCaller,
  ) {}

  async get(path: string, headers: Headers = {}): Promise<Answer<unknown>> {
    return httpRequest(this.urlOf(path), { headers: { ...callerHeaders(this.caller), ...headers } });
  }

  async post(path: string, body: unknown = {}, headers: Headers = {}): Promise<Answer<unknown>> {
    const all = { ...callerHeaders(this.caller), ...headers };
    return httpRequest(this.urlOf(path), { method: 'POST', headers: all, body });
  }

  async create(input: JsonObject = {}, headers: Headers = {}): Promise<Answer<LedgerRow>> {
    return (await this.post('/tasks', input, headers)) as Answer<LedgerRow>;
  }

  async row(taskId: string): Promise<Answer<LedgerRow>> {
    return (await this.get(task(taskId))) as Answer<LedgerRow>;
  }

  async as(taskId: string, dialect: string): Promise<Answer<Translated>> {
    return (await this.get(`${task(taskId)}?as=${dialect}`)) as Answer<Translated>;
  }

  async transition(taskId: string, body: Transition, headers: Headers = {}): Promise<Answer<LedgerRow>> {
    return (await this.post(`${task(taskId)}/transitions`, body, headers)) as Answer<LedgerRow>;
  }

  /** EMIT of the field cases: a state with a text. */
  async emit(taskId: string, to: string, text?: string): Promise<Answer<LedgerRow>> {
    return this.transition(taskId, { to, ...(text === undefined ? {} : { message: agentMessage(text) }) });
  }

  async record(taskId: string, body: unknown, headers: Headers = {}): Promise<Answer<LedgerRow>> {
    return (await this.post(`${task(taskId)}/artifacts`, body, headers)) as Answer<LedgerRow>;
  }

  /** EMIT of the field cases: a chunk of an artifact. */
  async chunk(
    taskId: string,
    artifactId: string,
    texts: readonly string[],
    flags: { append?: boolean; lastChunk?: boolean } = {},
  ): Promise<Answer<LedgerRow>> {
    return this.record(taskId, { artifact: artifact(artifactId, texts), ...flags });
  }

  async message(taskId: string, message: Message, headers: Headers = {}): Promise<Answer<LedgerRow>> {
    return (await this.post(`${task(taskId)}/messages`, { message }, headers)) as Answer<LedgerRow>;
  }

  async link(parentTaskId: string, body: JsonObject, headers: Headers = {}): Promise<Answer<JsonObject>> {
    return (await this.post(`${task(parentTaskId)}/children`, body, headers)) as Answer<JsonObject>;
  }

  async cancel(
    taskId: string,
    body: JsonObject = {},
    headers: Headers = {},
  ): Promise<Answer<{ cancellationId: string; taskId: string; state: string }>> {
    const answer = await this.post(`${task(taskId)}/cancellation`, body, headers);
    return answer as Answer<{ cancellationId: string; taskId: string; state: string }>;
  }

  /** A dry run. */
  async planCancellation(
    taskId: string,
    body: JsonObject = {},
    nodesAfter?: string,
  ): Promise<Answer<CancellationPlan>> {
    const query = nodesAfter === undefined ? '' : `?nodesAfter=${encodeURIComponent(nodesAfter)}`;
    const answer = await this.post(`${task(taskId)}/cancellation${query}`, { ...body, dryRun: true });
    return answer as Answer<CancellationPlan>;
  }

  async acknowledge(taskId: string, body: JsonObject = {}): Promise<Answer<{ cancellationId: string }>> {
    const answer = await this.post(`${task(taskId)}/cancellation/ack`, body);
    return answer as Answer<{ cancellationId: string }>;
  }

  async decline(taskId: string, body: JsonObject = {}): Promise<Answer<{ cancellationId: string }>> {
    const answer = await this.post(`${task(taskId)}/cancellation/decline`, body);
    return answer as Answer<{ cancellationId: string }>;
  }

  async events(taskId: string, query = 'limit=1000'): Promise<Answer<EventPage>> {
    return (await this.get(`${task(taskId)}/events?${query}`)) as Answer<EventPage>;
  }

  async eventTypes(taskId: string): Promise<string[]> {
    return (await this.events(taskId)).body.events.map(({ type }) => type);
  }

  async late(taskId: string): Promise<readonly JsonObject[]> {
    return lateUpdatesOf((await this.get(`${task(taskId)}/late`)).body);
  }

  async timeline(
    taskId: string,
    query = '',
  ): Promise<Answer<{ entries: readonly TimelineEntry[]; next?: number }>> {
    const answer = await this.get(`${task(taskId)}/timeline?${query}`);
    return answer as Answer<{ entries: readonly TimelineEntry[]; next?: number }>;
  }

  async replay(taskId: string, query = ''): Promise<Answer<Replay>> {
    return (await this.get(`${task(taskId)}/replay?${query}`)) as Answer<Replay>;
  }

  async diff(taskId: string, from: number, to: number): Promise<Answer<readonly JsonObject[]>> {
    const answer = await this.get(`${task(taskId)}/diff?from=${String(from)}&to=${String(to)}`);
    return answer as Answer<readonly JsonObject[]>;
  }

  async tree(taskId: string, query = ''): Promise<Answer<TreeNode>> {
    return (await this.get(`${task(taskId)}/tree?${query}`)) as Answer<TreeNode>;
  }

  async why(taskId: string): Promise<Answer<readonly WhyStep[]>> {
    return (await this.get(`${task(taskId)}/why`)) as Answer<readonly WhyStep[]>;
  }

  /** `text` or `mermaid`: for people. */
  async whyAs(taskId: string, format: string): Promise<Answer<unknown>> {
    return this.get(`${task(taskId)}/why?format=${format}`);
  }

  async certificate(cancellationId: string, query = ''): Promise<Answer<Certificate>> {
    const answer = await this.get(`/cancellations/${encodeURIComponent(cancellationId)}?${query}`);
    return answer as Answer<Certificate>;
  }

  async cancellations(query = '', headers: Headers = {}): Promise<Answer<ListedCancellations>> {
    return (await this.get(`/cancellations?${query}`, headers)) as Answer<ListedCancellations>;
  }

  async cancellationsOf(taskId: string): Promise<Answer<readonly TaskCancellation[]>> {
    return (await this.get(`${task(taskId)}/cancellations`)) as Answer<readonly TaskCancellation[]>;
  }

  async rows(query = '', headers: Headers = {}): Promise<Answer<ListedRows>> {
    return (await this.get(`/rows?${query}`, headers)) as Answer<ListedRows>;
  }

  async feed(query = '', headers: Headers = {}): Promise<EventFrames> {
    return openFrames(this.urlOf(`/feed?${query}`), {
      headers: { ...callerHeaders(this.caller), ...headers },
    });
  }

  async followEvents(taskId: string, query = ''): Promise<EventFrames> {
    return openFrames(this.urlOf(`${task(taskId)}/events?${query}`), { headers: callerHeaders(this.caller) });
  }

  private urlOf(path: string): string {
    return `${this.service.url}/ledger/v1${path}`;
  }
}

const task = (taskId: string): string => `/tasks/${encodeURIComponent(taskId)}`;

/** Refused late updates, oldest first. */
const lateUpdatesOf = (body: unknown): readonly JsonObject[] => {
  if (!Array.isArray(body)) throw new Error(`expected a list of late updates, got ${JSON.stringify(body)}`);
  return body as readonly JsonObject[];
};
