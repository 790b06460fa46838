import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { eventually } from './waiting.js';

const repository = resolve(import.meta.dirname, '../..');
/** `LEDGER_TEST_ENTRY` names the entry of another build. */
const entry = process.env.LEDGER_TEST_ENTRY ?? join(repository, 'dist/apps/ledger/src/main.js');
/** A service that is not ready by then hangs. It needs a second or two; the rest is for a busy machine. */
const readyLimitMs = 90_000;
/** C46: SIGTERM ends the process in less than 10 s; more means that it hangs. */
const stopLimitMs = 15_000;
const outputCharactersMax = 200_000;

export interface ServiceOptions {
  /** Default `trusted-headers`. */
  readonly auth?: 'none' | 'trusted-headers';
  /** Fills the folder before the first start. */
  readonly prepare?: (directory: string) => Promise<void>;
  /** Added to the environment of the process; a function is asked at each start. */
  readonly environment?: Environment | (() => Environment);
}

export type Environment = Readonly<Record<string, string>>;

/** What a client needs of a service. */
export interface RunningService {
  /** Base URL, without a slash at its end. */
  readonly url: string;
}

const live = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of live) child.kill('SIGKILL');
});

/** How a process ended: its exit code, or the signal that ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The built service as a process of its own, on a folder of its own and a free port. */
export class LedgerService {
  #child: ChildProcess | undefined;
  #exited: Promise<Exit> | undefined;
  #url: string | undefined;
  #directory: string | undefined;
  #output = '';

  constructor(private readonly options: ServiceOptions = {}) {}

  /** Base URL, without a slash at its end. */
  get url(): string {
    if (this.#url === undefined) throw new Error('the service is not running');
    return this.#url;
  }

  /** Folder of its data; it stays over restarts. */
  get directory(): string {
    if (this.#directory === undefined) throw new Error('the service was never started');
    return this.#directory;
  }

  /** Everything it wrote on stdout and stderr so far. */
  get output(): string {
    return this.#output;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves with the ready line. On the same folder, when it ran before. */
  async start(): Promise<string> {
    const line = (await this.begin()).ready;
    this.#url = /http=(\S+)/.exec(await line)?.[1];
    await this.viewsServe();
    return line;
  }

  /**
   * Starts the process and waits for nothing: `ready` comes with the ready line, or fails with what the process said
   * when it ended before; its {@link exit} tells how.
   */
  async begin(): Promise<{ readonly ready: Promise<string> }> {
    this.#directory ??= await this.folder();
    const child = spawnService(this.#directory, this.options);
    this.#child = child;
    live.add(child);
    this.#exited = once(child, 'close').then(([code, signal]) => {
      live.delete(child);
      return { code: code as number | null, signal: signal as NodeJS.Signals | null };
    });
    const ready = this.readyLine(child);
    // Whoever begins may look at it later, or never.
    ready.catch(() => undefined);
    return { ready };
  }

  /** How the process ended, once it has. */
  get exit(): Promise<Exit> {
    if (this.#exited === undefined) throw new Error('the service was never started');
    return this.#exited;
  }

  private async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'ledger-e2e-'));
    await this.options.prepare?.(folder);
    return folder;
  }

  /** The log is served before the views have caught up with it; lists are 503 until then. */
  private async viewsServe(): Promise<void> {
    let said = '';
    const ready = async (): Promise<true | undefined> => {
      const answer = await fetch(`${this.url}/readyz`);
      said = await answer.text();
      return answer.status === 200 ? true : undefined;
    };
    await eventually('views that serve', ready, readyLimitMs).catch((error: unknown) => {
      throw new Error(`${said}\n${this.#output}`, { cause: error });
    });
  }

  private readyLine(child: ChildProcess): Promise<string> {
    return new Promise((resolveLine, reject) => {
      const started = this.#output.length;
      const limit = setTimeout(() => {
        reject(new Error(`not ready after ${String(readyLimitMs)} ms:\n${this.#output}`));
      }, readyLimitMs);
      const read = (chunk: Buffer): void => {
        this.#output = (this.#output + chunk.toString()).slice(-outputCharactersMax);
        const line = /^ledger ready .*$/m.exec(this.#output.slice(started))?.[0];
        if (line === undefined) return;
        clearTimeout(limit);
        resolveLine(line);
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      void this.#exited?.then((exit) => {
        clearTimeout(limit);
        reject(new Error(`ended before it was ready (${JSON.stringify(exit)}):\n${this.#output}`));
      });
    });
  }

  /** SIGKILL, and waits for the end. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#exited;
    this.#url = undefined;
  }

  /** SIGTERM, and waits for the end. */
  async terminate(): Promise<Exit> {
    const child = this.#child;
    if (child === undefined || this.#exited === undefined) throw new Error('the service was never started');
    const limit = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
    child.kill('SIGTERM');
    const exit = await this.#exited;
    clearTimeout(limit);
    this.#url = undefined;
    return exit;
  }

  /** Ends it with SIGKILL and starts it on the same folder. */
  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Ends the process and removes the folder, whatever state they are in. */
  async dispose(): Promise<void> {
    await this.kill();
    if (this.#directory !== undefined) await rm(this.#directory, { recursive: true, force: true });
  }
}

const environmentOf = ({ environment }: ServiceOptions): Environment | undefined =>
  typeof environment === 'function' ? environment() : environment;

/** Starts a process on `directory` without waiting for anything. */
export const spawnService = (directory: string, options: ServiceOptions = {}): ChildProcess => {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('LEDGER_') && name !== 'NODE_OPTIONS' && name !== 'NODE_ENV',
  );
  return spawn(process.execPath, [entry], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...Object.fromEntries(inherited),
      LEDGER_PORT: '0',
      LEDGER_GRPC_PORT: '0',
      LEDGER_DATA_DIR: directory,
      LEDGER_AUTH: options.auth ?? 'trusted-headers',
      LEDGER_LOG: 'error',
      ...environmentOf(options),
    },
  });
};

/** One service for a whole spec file: started before its tests, ended and removed after them, also when one failed. */
export const useService = (options: ServiceOptions = {}): LedgerService => {
  const service = new LedgerService(options);
  beforeAll(async () => {
    await service.start();
  }, 2 * readyLimitMs);
  afterAll(async () => {
    await service.dispose();
  }, stopLimitMs + 5_000);
  return service;
};
