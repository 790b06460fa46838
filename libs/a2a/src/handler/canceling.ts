import type { CancelTaskRequest, Task as WireTask } from '@a2a-js/sdk';
import type { CancelInput } from '#application';
import type { JsonObject } from '#domain';
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

/** CancelTask (specification §3.1.5). C29: a canceled task is answered as it is stored; any other ended one refuses. */
export const cancelTask = async (
  services: A2AServices,
  params: CancelTaskRequest,
  call: LedgerCallContext,
): Promise<WireTask> => {
  const metadata = params.metadata as JsonObject | undefined;
  const key = call.facts.idempotencyKey ?? optionsUnderExtension(metadata).idempotencyKey;
  const options = key === undefined ? {} : { idempotencyKey: key };
  const written = await services.commands.cancel(call.caller, params.id, inputOf(metadata), options);
  if (written.position !== undefined) call.position = written.position;
  return readWireTask(services.reader, call, params.id, undefined);
};
