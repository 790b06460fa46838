// The commit thread: the one writer of the log. Started by commit-thread.ts.
import { statSync } from 'node:fs';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { CommitLog } from './commit-log.js';
import { transactionAppendsMax, truncateBusyMilliseconds, walBytesMax, walCheckCommits } from './limits.js';
import type { FlatBatch, FromCommitThread, ToCommitThread } from './messages.js';
import { flattenOutcomes, readBatch } from './messages.js';
import { openForWriting } from './schema.js';

export interface CommitThreadSettings {
  readonly file: string;
  readonly busyMilliseconds: number;
  /** Bytes the file may grow to; undefined: as the disk allows. */
  readonly fileBytesMax: number | undefined;
}

const settings = workerData as CommitThreadSettings;
const database = openForWriting(settings.file, settings.busyMilliseconds);
const log = new CommitLog(database);
let commits = 0;

const post = (message: FromCommitThread): void => parentPort?.postMessage(message);

/** One transaction of this message and of those that have come behind it. */
const commit = (batch: FlatBatch): void => {
  const requests = readBatch(batch);
  let batches = 1;
  let other: ToCommitThread | undefined;
  while (other === undefined && requests.length < transactionAppendsMax) {
    const next = nextMessage();
    if (next === undefined) break;
    if (next.kind === 'commit') {
      batches += 1;
      requests.push(...readBatch(next.batch));
    } else other = next;
  }
  const started = performance.now();
  const created = Date.now();
  const outcomes = flattenOutcomes(log.commit(requests, created));
  const milliseconds = performance.now() - started;
  post({ kind: 'committed', batches, outcomes, created, milliseconds, trouble: log.trouble });
  if (++commits % walCheckCommits === 0) boundWriteAheadLog();
  if (other !== undefined) handle(other);
};

const nextMessage = (): ToCommitThread | undefined => {
  const received = parentPort === null ? undefined : receiveMessageOnPort(parentPort);
  return received?.message as ToCommitThread | undefined;
};

/** Ordinary checkpoints run within commits; readers that never pause can keep the log from ever starting over. */
const boundWriteAheadLog = (): void => {
  const bytes = statSync(`${settings.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes < walBytesMax) return;
  try {
    database.pragma(`busy_timeout = ${String(truncateBusyMilliseconds)}`);
    database.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    // Nothing is lost by it: the next look tries again, and a disk that fails shows at the next commit.
  } finally {
    database.pragma(`busy_timeout = ${String(settings.busyMilliseconds)}`);
  }
};

const limit = (fileBytesMax: number): void => {
  const pageBytes = Number(database.pragma('page_size', { simple: true }));
  database.pragma(`max_page_count = ${String(Math.max(1, Math.floor(fileBytesMax / pageBytes)))}`);
};

const close = (): void => {
  database.close();
  parentPort?.close();
};

const handle = (message: ToCommitThread): void => {
  switch (message.kind) {
    case 'commit':
      commit(message.batch);
      return;
    case 'probe':
      post({ kind: 'health', trouble: log.probe() });
      return;
    case 'limit':
      limit(message.fileBytesMax);
      return;
    case 'close':
      close();
      return;
  }
};

parentPort?.on('message', handle);

if (settings.fileBytesMax !== undefined) limit(settings.fileBytesMax);
post({ kind: 'opened', newest: log.newest });
