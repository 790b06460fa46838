import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** Names the server of a whole run of tests, where one was started. */
export const serverVariable = 'LEDGER_TEST_POSTGRES';

/** Where Debian, Alpine, Red Hat and Homebrew put the programs; the newest version first. */
const programRoots = [
  '/usr/lib/postgresql',
  '/usr/local/lib/postgresql',
  '/usr/libexec',
  '/opt/homebrew/opt',
  '/usr/local/opt',
];
const startMs = 20_000;
const askMs = 25;

export interface PostgresServer {
  /** `postgres://user@127.0.0.1:port/postgres`; every user may enter from this machine alone. */
  readonly url: string;
  /** Ends it at once and takes its folder away. */
  stop(): Promise<void>;
}

const versionIn = (name: string): number => Number(/(\d+)/.exec(name)?.[1] ?? 0);

/** The folder of `initdb` and `postgres`. */
const programFolder = (): string | undefined => {
  const installed = programRoots.filter(existsSync).flatMap((root) =>
    readdirSync(root)
      .filter((name) => /^(postgresql@?)?\d+$/.test(name))
      .sort((one, other) => versionIn(other) - versionIn(one))
      .map((name) => join(root, name, 'bin')),
  );
  const inPath = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
  return [...installed, ...inPath].find((folder) =>
    ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))),
  );
};

const mustBeInstalled = (): string => {
  const folder = programFolder();
  if (folder === undefined)
    throw new Error(
      'these tests need a PostgreSQL server: apt-get install postgresql (or name one that runs)',
    );
  return folder;
};

interface Person {
  readonly uid: number;
  readonly gid: number;
}

/** The server refuses to run as root: then it runs as somebody who is on every system and owns nothing. */
const ordinaryUser = (): Person | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: '-u' | '-g'): number =>
    Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

/** Nothing here outlives the run: no write waits for the disk. */
const settingsOf = (folder: string, port: number): readonly string[] =>
  [
    'fsync=off',
    'full_page_writes=off',
    'synchronous_commit=off',
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${String(port)}`,
    'max_connections=200',
    'shared_buffers=64MB',
    'autovacuum_naptime=5min',
    'log_min_messages=fatal',
    'lc_messages=C',
  ]
    .flatMap((setting) => ['-c', setting])
    .concat('-D', folder);

const isThere = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
};

const answering = async (server: ChildProcess, url: string): Promise<void> => {
  for (let waited = 0; waited < startMs; waited += askMs) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with code ${String(server.exitCode)}`);
    if (await isThere(url)) return;
    await delay(askMs);
  }
  throw new Error('PostgreSQL does not answer');
};

/**
 * Runs between this process and the server, as a program of its own: when its standard input ends, which it does
 * however this process ends, the server is ended at once (there is nothing to be kept) and its folder taken away.
 */
const keeper = `
  const { spawn } = require('node:child_process');
  const { rmSync } = require('node:fs');
  const { folder, program, settings, person } = JSON.parse(process.argv[1]);
  const server = spawn(program, settings, { ...person, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  process.stdin.resume().on('close', () => server.kill('SIGQUIT'));
  server.on('exit', (code) => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(code ?? 0);
  });
`;

const stopped = async (server: ChildProcess): Promise<void> => {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'exit');
  server.stdin?.end();
  await gone;
};

/**
 * Starts a PostgreSQL in a temporary folder, on a free port of the loopback interface.
 * @throws Error none is installed: the message says what to install
 */
export const startPostgres = async (): Promise<PostgresServer> => {
  const programs = mustBeInstalled();
  const person = ordinaryUser();
  const folder = mkdtempSync(join(tmpdir(), 'ledger-postgres-'));
  if (person !== undefined) chownSync(folder, person.uid, person.gid);
  const data = join(folder, 'data');
  const as = { ...person, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  try {
    execFileSync(
      join(programs, 'initdb'),
      ['-D', data, '-U', 'ledger', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
      { ...as, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const port = await freePort();
    const url = `postgres://ledger@127.0.0.1:${String(port)}/postgres`;
    const task = { folder, program: join(programs, 'postgres'), settings: settingsOf(data, port), person };
    const server = spawn(process.execPath, ['-e', keeper, JSON.stringify(task)], {
      env: as.env,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    await answering(server, url);
    return { url, stop: () => stopped(server) };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
};
