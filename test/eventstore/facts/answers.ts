import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  startEventStoreDbEmulator,
  type ClientPackage,
  type EventStoreDbEmulator,
  type ServerVersion,
} from '#testing';

export type Answers = Readonly<Record<string, string>>;

/** Through which client, and which of its append paths. */
export interface Route {
  readonly name: string;
  readonly clientPackage: ClientPackage;
  readonly path: 'batch' | 'classic';
}

/** What the emulator answers otherwise than the real server, and why that may stay. */
interface Difference {
  readonly version: ServerVersion;
  readonly routes: readonly string[];
  readonly question: string;
  readonly emulator: string;
  readonly reason: string;
}

export const versions: readonly ServerVersion[] = ['24.2.0', '23.10.8'];

/** A probe that takes longer hangs. */
export const probeLimitMs = 150_000;
const run = promisify(execFile);
const here = import.meta.dirname;

const parsed = async <Content>(name: string): Promise<Content> =>
  JSON.parse(await readFile(join(here, name), 'utf8')) as Content;

/** What a real server of that version answered. */
export const recordedAnswers = (version: ServerVersion, { name }: Route): Promise<Answers> =>
  parsed<Answers>(`recorded/${version}-${name}.json`);

export const differences = async (version: ServerVersion, { name }: Route): Promise<readonly Difference[]> =>
  (await parsed<readonly Difference[]>('differences.json')).filter(
    (difference) => difference.version === version && difference.routes.includes(name),
  );

/** Asks the server at the address, in a process of its own: a client may throw where nobody can catch it. */
export const askServer = async (url: string, { clientPackage, path }: Route): Promise<Answers> => {
  const { stdout } = await run(process.execPath, [join(here, 'probe.mjs'), url, clientPackage, path], {
    timeout: probeLimitMs,
  });
  return JSON.parse(stdout) as Answers;
};

/** Asks an emulator that nobody else uses. */
export const askEmulator = async (version: ServerVersion, route: Route): Promise<Answers> => {
  const emulator: EventStoreDbEmulator = await startEventStoreDbEmulator({
    version,
    clientPackage: route.clientPackage,
  });
  try {
    return await askServer(emulator.url, route);
  } finally {
    await emulator.stop();
  }
};

/** The version of a real server as it tells it, when there are recorded answers of it. */
export const recordedVersion = async (url: string): Promise<ServerVersion | undefined> => {
  const response = await fetch(`${url.replace(/^\w+:/, 'http:').replace(/\?.*$/, '')}/info`);
  const { esVersion } = (await response.json()) as { esVersion?: string };
  return versions.find((version) => esVersion?.startsWith(version) ?? false);
};
