/** What a driver tells of its client by the way. */
export interface ClientListener {
  /** Something came from the server: an answer to an append, or a part of one to a read. */
  reply(kind: CallKind): void;
  /** The client failed over an answer of the server (a second one for an append): it cannot be trusted any more. */
  fault(error: unknown): void;
}

export type CallKind = 'append' | 'read';

/** The client was left while this call was under way, or before it was sent. */
export class ClientLeftError extends Error {
  override readonly name = 'ClientLeftError';
  /** `sent`: the call may have reached the server. */
  constructor(
    message: string,
    readonly sent = true,
  ) {
    super(message);
  }
}
