import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Position } from '#event-store';

/** A file of a backup, as it was when the backup was complete. */
export interface BackupFile {
  /** Its name in the folder. */
  readonly file: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/**
 * What a backup holds. `sqlite`: the file as an embedded ledger has it, positions and all; `lines`: one JSON object a
 * line, as any store can take it.
 */
export interface Manifest {
  readonly format: 1;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Of the program that wrote it. */
  readonly version: string;
  readonly namespace: string;
  readonly logId: string;
  readonly events: BackupFile & {
    readonly kind: 'sqlite' | 'lines';
    readonly count: number;
    readonly last: Position;
  };
  readonly state: BackupFile & { readonly kind: 'sqlite' | 'postgres' };
}

/** Written last: a folder without it is no backup. */
const manifestFile = 'backup.json';

/** The backup cannot be taken, or cannot be used; for the operator. */
export class BackupError extends Error {
  override get name(): string {
    return 'BackupError';
  }
}

/** Bytes on the disk, not on their way to it. */
export const syncFile = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
};

export const describeFile = async (folder: string, file: string): Promise<BackupFile> => {
  const path = join(folder, file);
  await syncFile(path);
  return { file, bytes: (await stat(path)).size, sha256: await hashOf(path) };
};

export const writeManifest = async (folder: string, manifest: Manifest): Promise<void> => {
  const path = join(folder, manifestFile);
  const handle = await open(`${path}.next`, 'wx');
  try {
    await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.next`, path);
  await syncFile(folder);
};

const isManifest = (value: unknown): value is Manifest =>
  typeof value === 'object' && value !== null && 'format' in value && value.format === 1;

/** @throws BackupError */
export const readManifest = async (folder: string): Promise<Manifest> => {
  const path = join(folder, manifestFile);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new BackupError(`${folder} holds no complete backup: there is no ${manifestFile} in it`);
  });
  const manifest: unknown = JSON.parse(text);
  if (!isManifest(manifest)) throw new BackupError(`${path} is of a version that this program cannot read`);
  return manifest;
};

/** Whether the files are what they were. @throws BackupError */
export const checkFiles = async (folder: string, { events, state }: Manifest): Promise<void> => {
  for (const expected of [events, state]) {
    const path = join(folder, expected.file);
    const found = await describeFile(folder, expected.file).catch(() => {
      throw new BackupError(`${path} is missing`);
    });
    if (found.bytes !== expected.bytes || found.sha256 !== expected.sha256)
      throw new BackupError(`${path} is not what it was when the backup was taken`);
  }
};
