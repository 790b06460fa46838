import { ServerCallContext } from '@a2a-js/sdk/server';
import type { Caller, Message } from '#domain';

/** What a transport knows of a request beside its params. */
export interface CallFacts {
  readonly caller: Caller;
  /** Fires when the client is gone or the service is about to stop. Asked for only by calls that wait. */
  readonly signal: () => AbortSignal;
  readonly idempotencyKey?: string | undefined;
  /** `Last-Event-ID` of a stream that is taken up again. */
  readonly lastEventId?: string | undefined;
  /** Edge position that a list must have reached (`Ledger-Wait-For`). */
  readonly waitFor?: string | undefined;
  readonly extensions?: string[] | undefined;
  readonly version: string;
}

/**
 * The SDK's context of a call, with what its transports do not hand on: who calls, when the client is gone (the
 * SDK has no such signal), and the message as it was sent (its codec loses `data: null`).
 */
export class LedgerCallContext extends ServerCallContext {
  /** The message of a send, checked, as it is stored. */
  message?: Message;
  /** Id of the frame that a stream handed out last: `<taskId>.<revision>`. */
  frameId = '';
  /** Edge position of what this call appended, or of the page it read. */
  position?: string;
  /** The answer may be older than the log: a wait ran out, or the log was away. */
  stale = false;

  constructor(readonly facts: CallFacts) {
    super({
      requestedVersion: facts.version,
      ...(facts.extensions === undefined ? {} : { requestedExtensions: facts.extensions }),
    });
  }

  get caller(): Caller {
    return this.facts.caller;
  }

  get signal(): AbortSignal {
    return this.facts.signal();
  }
}

/** The ledger's handler serves only transports that bring the ledger's context. */
export const callOf = (context: ServerCallContext): LedgerCallContext => {
  if (!(context instanceof LedgerCallContext)) throw new TypeError('a LedgerCallContext is needed');
  return context;
};
