import { performance } from 'node:perf_hooks';
import type { JsonObject } from '#domain';
import { al2, type Answer, callerHeaders, httpRequest, type HttpRequest } from '../../../support/index.js';
import type {
  Answered,
  Deed,
  ListOperation,
  Operation,
  ReadOperation,
  WriteOperation,
} from '../checker/operations.js';
import {
  answered,
  eventsSaid,
  listSaid,
  type ListSaid,
  NotRunningError,
  replaySaid,
  rowSaid,
  writeSaid,
} from './answers.js';

/** A process of the ledger that clients talk to. */
export interface Instance {
  /** Changes with each start. */
  readonly name: string;
  /** Undefined while it is not running. */
  readonly url: string | undefined;
}

/** A write as it is asked for, and asked for again under its key. */
export interface Write {
  readonly deed: Deed;
  readonly mark: string;
  readonly path: string;
  readonly body: JsonObject;
  readonly taskId?: string;
  readonly to?: string;
  readonly bare?: true;
  readonly ifMatch?: number;
  readonly parentTaskId?: string;
}

/** Longest wait for an answer; the instance goes on with what it was asked for. */
const answerLimitMs = 30_000;
const pageSize = 20;

/** Asks, and writes down what was asked, when, and what came back. */
export class Recorder {
  readonly operations: Operation[] = [];
  #attempts = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly contextId: string) {}

  async write(client: number, instance: Instance, write: Write): Promise<WriteOperation> {
    const { deed, mark, path, body, ...facts } = write;
    const asked = this.#asked(client, instance);
    const answer = await answered(
      () => ask(asked.url, path, { method: 'POST', body, headers: this.#headers(write) }),
      writeSaid,
    );
    return this.#record({ kind: 'write', deed, mark, ...facts, ...ended(asked), answer });
  }

  async read(client: number, instance: Instance, taskId: string, asOf?: number): Promise<ReadOperation> {
    const asked = this.#asked(client, instance);
    const answer =
      asOf === undefined
        ? await answered(() => ask(asked.url, `/tasks/${taskId}`, {}), rowSaid)
        : await answered(
            () => ask(asked.url, `/tasks/${taskId}/replay?revision=${String(asOf)}`, {}),
            replaySaid,
          );
    return this.#record({
      kind: 'read',
      taskId,
      ...(asOf !== undefined && { asOf }),
      ...ended(asked),
      answer,
    });
  }

  async events(client: number, instance: Instance, taskId: string): Promise<void> {
    const asked = this.#asked(client, instance);
    const answer = await answered(() => ask(asked.url, `/tasks/${taskId}/events?limit=1000`, {}), eventsSaid);
    this.#record({ kind: 'events', taskId, ...ended(asked), answer });
  }

  /** Every page of the list of the hot tasks. */
  async list(client: number, instance: Instance, waitFor?: string): Promise<ListOperation> {
    const asked = this.#asked(client, instance);
    const answer = await this.#pages(asked.url, waitFor);
    const told = waitFor === undefined ? {} : { waitFor };
    return this.#record({ kind: 'list', contextId: this.contextId, ...told, ...ended(asked), answer });
  }

  async #pages(url: string | undefined, waitFor: string | undefined): Promise<Answered<ListSaid>> {
    const headers = waitFor === undefined ? {} : { 'Ledger-Wait-For': waitFor };
    const path = `/rows?contextId=${this.contextId}&pageSize=${String(pageSize)}`;
    let first: ListSaid | undefined;
    const rows: ListSaid['rows'][number][] = [];
    for (let token = ''; ;) {
      const page = `${path}&pageToken=${encodeURIComponent(token)}`;
      const answer = await answered(() => ask(url, page, { headers }), listSaid);
      if (answer.kind !== 'done') return answer;
      first ??= answer.said;
      rows.push(...answer.said.rows);
      token = answer.said.nextPageToken;
      if (token === '') return { kind: 'done', said: { ...first, rows } };
    }
  }

  #headers({ mark, ifMatch }: Write): Record<string, string> {
    const attempt = (++this.#attempts).toString(16).padStart(16, '0');
    return {
      'Idempotency-Key': mark,
      traceparent: `00-${mark}-${attempt}-01`,
      ...(ifMatch !== undefined && { 'If-Match': `"${String(ifMatch)}"` }),
    };
  }

  #asked(client: number, { name, url }: Instance): Asking {
    return { client, instance: name, url, begin: performance.now() };
  }

  /** Resolves when so many operations are over. */
  async reached(count: number): Promise<void> {
    while (this.operations.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #record<Kind extends Operation>(operation: Kind): Kind {
    this.operations.push(operation);
    for (const resolve of this.#waiting.splice(0)) resolve();
    return operation;
  }
}

interface Asking {
  readonly client: number;
  readonly instance: string;
  readonly url: string | undefined;
  readonly begin: number;
}

const ended = ({ url: _, ...asked }: Asking): Omit<Asking, 'url'> & { end: number } => ({
  ...asked,
  end: performance.now(),
});

/** Every client may do everything: what is looked for is order, not rights. */
const caller = callerHeaders(al2);

const ask = async (url: string | undefined, path: string, request: HttpRequest): Promise<Answer<unknown>> => {
  if (url === undefined) throw new NotRunningError();
  return httpRequest(`${url}/ledger/v1${path}`, {
    ...request,
    headers: { ...caller, ...request.headers },
    signal: AbortSignal.timeout(answerLimitMs),
  });
};
