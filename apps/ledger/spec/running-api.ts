import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config/config.js';
import { openLogger } from '../src/observe/logger.js';
import { startLedger, type RunningLedger } from '../src/serve.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface Frame {
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/** How much of a stream is read; by default all of it. */
interface Reading {
  readonly headers?: Record<string, string>;
  readonly enough?: number;
  readonly until?: (frame: Frame) => boolean;
}

const logger = openLogger('silent');

/** The service on a free port and a folder, in this process; without /docs, whose package Jest cannot load. */
export const startOn = (folder: string, variables: Record<string, string> = {}): Promise<RunningLedger> =>
  startLedger(readConfig({ LEDGER_PORT: '0', LEDGER_DATA_DIR: folder, ...variables }), logger, {
    docs: false,
  });

const framesOf = (blocks: readonly string[]): Frame[] =>
  blocks.flatMap((block) => {
    const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(block) ?? [];
    return id === undefined || data === undefined
      ? []
      : [{ id, data: JSON.parse(data) as Record<string, unknown> }];
  });

/** A running service with a temporary folder of its own, and a client of its ledger API. */
export class RunningApi {
  private constructor(
    readonly folder: string,
    readonly service: RunningLedger,
  ) {}

  static async start(variables: Record<string, string> = {}): Promise<RunningApi> {
    return RunningApi.startIn(await mkdtemp(join(tmpdir(), 'ledger-api-')), variables);
  }

  /** On a folder that another one has left. */
  static async startIn(folder: string, variables: Record<string, string> = {}): Promise<RunningApi> {
    return new RunningApi(folder, await startOn(folder, variables));
  }

  async stop(): Promise<void> {
    await this.service.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#call('GET', path, undefined, headers);
  }

  /** `body`: text as it is, anything else as JSON. */
  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#call('POST', path, body, headers);
  }

  /** An answer that is no JSON. */
  async text(path: string, headers: Record<string, string> = {}): Promise<{ type: string; text: string }> {
    const response = await fetch(this.#url(path), { headers });
    return { type: response.headers.get('content-type') ?? '', text: await response.text() };
  }

  /** Creates a task and answers its id. */
  async create(body: object = {}, headers: Record<string, string> = {}): Promise<string> {
    return String((await this.post('/tasks', body, headers)).body.taskId);
  }

  /** Reads a stream until it ends, until `enough` frames have come, or the one that is waited for. */
  async frames(path: string, { headers = {}, enough = Infinity, until }: Reading = {}): Promise<Frame[]> {
    const leave = new AbortController();
    const response = await fetch(this.#url(path), {
      headers: { accept: 'text/event-stream', ...headers },
      signal: leave.signal,
    });
    const found: Frame[] = [];
    let text = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      found.push(...framesOf(blocks));
      if (found.length >= enough || (until !== undefined && found.some(until))) break;
    }
    leave.abort();
    return found;
  }

  /** Over a raw socket: a client library would tidy the path up. Answers the whole response. */
  rawGet(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let text = '';
      const socket = connect(Number(new URL(this.service.url).port), '127.0.0.1', () => {
        socket.write(`GET /ledger/v1${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      });
      socket.on('data', (chunk) => (text += chunk.toString()));
      socket.on('end', () => {
        resolve(text);
      });
      socket.on('error', reject);
    });
  }

  #url(path: string): string {
    return `${this.service.url}/ledger/v1${path}`;
  }

  async #call(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
    const response = await fetch(this.#url(path), {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { status, headers: answered } = response;
    return { status, headers: answered, body: (await response.json()) as Record<string, unknown> };
  }
}

export const message = (messageId: string, role = 'ROLE_USER'): object => ({
  messageId,
  role,
  parts: [{ text: messageId }],
});
