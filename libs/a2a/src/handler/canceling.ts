import type { CancelTaskRequest, Task as WireTask } from '@a2a-js/sdk';
import type { CancelInput, TaskChange } from '#application';
import { DomainError, invalid, isTerminal, type JsonObject, type Task } from '#domain';
import { extensionUri } from '../extension.js';
import type { LedgerCallContext } from './call-context.js';
import { optionsUnderExtension } from './options.js';
import { readWireTask } from './reading.js';
import type { A2AServices } from './services.js';

const plainReason = (metadata: JsonObject | undefined): string | undefined => {
  const reason = metadata?.reason;
  return typeof reason === 'string' && reason !== '' ? reason : undefined;
};

/** The options of a cancellation, from our extension's metadata; the metadata itself is kept whole. */
const inputOf = (metadata: JsonObject | undefined): CancelInput => {
  const { mode, graceMs, cascade, ...rest } = optionsUnderExtension(metadata);
  const reason = rest.reason ?? plainReason(metadata);
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(mode === undefined ? {} : { mode }),
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(cascade === undefined ? {} : { cascade }),
  };
};

const optionNames: ReadonlySet<unknown> = new Set<keyof CancelInput>(['mode', 'graceMs', 'cascade']);

/** The ledger names an option that does not fit; the client finds it where it stands in the request. */
const whereItStands = (error: unknown): unknown => {
  if (!(error instanceof DomainError) || error.code !== 'invalid-request') return error;
  const field = String(error.detail.field);
  if (!optionNames.has(field)) return error;
  return invalid(`metadata["${extensionUri}"].${field}`, error.message.slice(`${field}: `.length));
};

type OpenCancellation = NonNullable<Task['openCancellation']>;

/** At `dueAt` the ledger ends the task; the answer waits a moment longer, so that it tells of that end. Milliseconds. */
const forcingMsMax = 1_000;

/** Milliseconds until this request has come to its end; without a `dueAt` there is no telling. */
const longestOf = ({ requestedAt, dueAt }: OpenCancellation): number =>
  dueAt === undefined ? Infinity : Date.parse(dueAt) - Date.parse(requestedAt) + forcingMsMax;

/** The end, or the agent's no: after that nothing more comes of this request. */
const answers =
  ({ cancellationId }: OpenCancellation) =>
  ({ event, task }: TaskChange): boolean =>
    isTerminal(task.state) ||
    (event.type === 'CancellationDeclined' && event.data.cancellationId === cancellationId);

/**
 * CancelTask (specification §3.1.5). C29: a canceled task is answered as it is stored; any other ended one refuses.
 * Where the agent is asked, the answer waits for the end of the task, at most for its grace and `blockingTimeoutMs`.
 */
export const cancelTask = async (
  services: A2AServices,
  params: CancelTaskRequest,
  call: LedgerCallContext,
): Promise<WireTask> => {
  const metadata = params.metadata as JsonObject | undefined;
  const key = call.facts.idempotencyKey ?? optionsUnderExtension(metadata).idempotencyKey;
  const options = key === undefined ? {} : { idempotencyKey: key };
  const written = await services.commands
    .cancel(call.caller, params.id, inputOf(metadata), options)
    .catch((error: unknown) => {
      throw whereItStands(error);
    });
  if (written.position !== undefined) call.position = written.position;
  const { openCancellation: open, revision } = written.task;
  if (open !== undefined) {
    const timeoutMs = Math.min(longestOf(open), services.blockingTimeoutMs);
    await services.live.waitFor(params.id, revision, answers(open), { timeoutMs, signal: call.signal });
  }
  return readWireTask(services.reader, call, params.id, undefined);
};
