import type { SagaState } from '#application';

/**
 * What must outlive a rebuild of the views: durable, backed up with the log. One file, or one schema, for everything
 * that stands in no stream.
 */
export interface State {
  readonly saga: SagaState;
  close(): Promise<void>;
}

/** The state cannot be read, and must not be begun anew behind the operator's back. `file` names it. */
export class StateUnreadableError extends Error {
  constructor(
    readonly file: string,
    readonly why: string,
    options?: ErrorOptions,
  ) {
    super(`the state in ${file} ${why}`, options);
  }

  override get name(): string {
    return 'StateUnreadableError';
  }
}
