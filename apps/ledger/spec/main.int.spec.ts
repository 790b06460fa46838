import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** The built service, as `npm start` runs it: these tests need a build. */
const entry =
  process.env.LEDGER_TEST_ENTRY ?? join(import.meta.dirname, '../../../dist/apps/ledger/src/main.js');

const startMsMax = 60_000;

/** What OpenAPI says of one route. */
interface Operation {
  readonly requestBody?: object;
  readonly responses: Record<string, { readonly content?: object }>;
}

type Service = ChildProcessByStdio<null, Readable, Readable>;

let folder = '';
const services: Service[] = [];

const launch = (variables: Record<string, string> = {}): Service => {
  const service = spawn(process.execPath, [entry], {
    env: {
      PATH: process.env.PATH,
      LEDGER_PORT: '0',
      LEDGER_DATA_DIR: folder,
      LEDGER_LOG: 'silent',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  services.push(service);
  return service;
};

/** What a service that does not start says on stderr, and its exit code. */
const failure = async (variables: Record<string, string>): Promise<{ code: unknown; stderr: string }> => {
  const service = launch(variables);
  let stderr = '';
  service.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(service, 'close')) as unknown[];
  return { code, stderr };
};

const readyLine = async (service: Service): Promise<string> => {
  let stdout = '';
  for await (const chunk of service.stdout) {
    stdout += (chunk as Buffer).toString();
    if (stdout.includes('\n')) break;
  }
  return stdout;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledger-main-'));
});

afterEach(async () => {
  for (const service of services.splice(0)) service.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

describe('the process', () => {
  it.each([
    ['LEDGER_PORT', 'abc'],
    ['LEDGER_EVENT_STORE', 'memory'],
    ['LEDGER_ROLES', 'api'],
    ['LEDGER_AUTH', 'jwt'],
    ['LEDGER_NAMESPACE', 'a-b'],
  ])(
    'with %s=%s says so in one line and does not start',
    async (variable, value) => {
      const { code, stderr } = await failure({ [variable]: value });
      expect(code).toBe(1);
      expect(stderr).toMatch(
        new RegExp(`^ledger cannot start: ${variable}="${value}" is not allowed: .+\n$`),
      );
    },
    startMsMax,
  );

  it(
    'C46 says where it serves, and on SIGTERM ends its streams and exits with 0',
    async () => {
      const service = launch();
      const line = await readyLine(service);
      const form = /^ledger ready http=(http:\/\/127\.0\.0\.1:\d+) events=embedded:(.+) views=sqlite:(.+)\n$/;
      const [, url = '', events] = form.exec(line) ?? [];
      expect(events).toBe(folder);
      const feed = await fetch(`${url}/ledger/v1/feed`);
      const docs = await (await fetch(`${url}/docs/json`)).text();
      expect(JSON.parse(docs)).toMatchObject({ openapi: expect.stringMatching(/^3/) as string });
      for (const [, name = ''] of docs.matchAll(/#\/components\/schemas\/(\w+)/g))
        expect(JSON.parse(docs)).toHaveProperty(['components', 'schemas', name]);
      expect((await fetch(`${url}/docs`)).status).toBe(200);
      service.kill('SIGTERM');
      // Ended, not cut: reading to the end does not fail.
      expect(await feed.text()).not.toContain('event: error');
      const [code] = (await once(service, 'exit')) as unknown[];
      expect(code).toBe(0);
    },
    startMsMax,
  );

  it(
    'documents what a cancellation answers, in every form',
    async () => {
      const [, url = ''] = /http=(\S+) /.exec(await readyLine(launch())) ?? [];
      const { paths } = (await (await fetch(`${url}/docs/json`)).json()) as {
        paths: Record<string, Record<string, Operation>>;
      };
      const formsOf = (method: string, path: string): unknown =>
        Object.entries(paths[`/ledger/v1${path}`]?.[method]?.responses ?? {}).map(
          ([status, { content = {} }]) => [status, ...Object.keys(content)],
        );
      const problem = ['default', 'application/problem+json'];
      const json = 'application/json';
      const every = [json, 'text/plain', 'text/vnd.mermaid'];
      const cancellation = '/tasks/{taskId}/cancellation';
      expect(formsOf('post', cancellation)).toEqual([['200', json], ['202', json], problem]);
      expect(formsOf('post', `${cancellation}/ack`)).toEqual([['200', json], problem]);
      expect(formsOf('post', `${cancellation}/decline`)).toEqual([['200', json], problem]);
      expect(formsOf('get', '/tasks/{taskId}/cancellations')).toEqual([['200', json], problem]);
      expect(formsOf('get', '/cancellations')).toEqual([['200', json], problem]);
      expect(formsOf('get', '/cancellations/{cancellationId}')).toEqual([['200', ...every], problem]);
      expect(formsOf('get', '/tasks/{taskId}/why')).toEqual([['200', ...every], problem]);
      expect(paths[`/ledger/v1${cancellation}`]?.post?.requestBody).toMatchObject({ required: false });
    },
    startMsMax,
  );

  it(
    'does not start on a state that is none, and says so in one line',
    async () => {
      await writeFile(join(folder, 'state.db'), 'this is no database, and says so at some length'.repeat(99));
      const { code, stderr } = await failure({});
      expect(code).toBe(1);
      expect(stderr).toMatch(/^ledger cannot start: [^\n]+\n$/);
      expect(stderr).toContain(join(folder, 'state.db'));
    },
    startMsMax,
  );

  it.each(['taken/below', '/proc/ledger'])(
    'does not start where no folder can be: %s',
    async (path) => {
      await writeFile(join(folder, 'taken'), '');
      const { code, stderr } = await failure({
        LEDGER_DATA_DIR: path.startsWith('/') ? path : join(folder, path),
      });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^ledger cannot start: LEDGER_DATA_DIR=[^\n]+\n$/);
    },
    startMsMax,
  );

  it(
    'says only once that its port is taken',
    async () => {
      const [, port = ''] = /:(\d+) /.exec(await readyLine(launch())) ?? [];
      const elsewhere = await mkdtemp(join(tmpdir(), 'ledger-main-'));
      const service = launch({ LEDGER_PORT: port, LEDGER_DATA_DIR: elsewhere, LEDGER_LOG: 'info' });
      const said = await Promise.all([text(service.stdout), text(service.stderr)]);
      await rm(elsewhere, { recursive: true, force: true });
      expect(said[0]).not.toContain('EADDRINUSE');
      expect(said[1]).toMatch(/^ledger cannot start: LEDGER_PORT=[^\n]+EADDRINUSE[^\n]*\n$/);
    },
    startMsMax,
  );

  it(
    'does not start on a folder that another process holds',
    async () => {
      await readyLine(launch());
      const { code, stderr } = await failure({});
      expect(code).toBe(1);
      expect(stderr).toMatch(/^ledger cannot start: [^\n]+\n$/);
      expect(stderr).toContain(folder);
    },
    startMsMax,
  );
});
