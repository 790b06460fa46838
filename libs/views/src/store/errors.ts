import { DomainError } from '#domain';

const texts = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * The database of the views or of the state cannot be asked now: it is away, overloaded, or its tables change hands.
 * What was asked may be asked again; it says nothing about what was asked.
 */
export class ViewsUnavailableError extends DomainError {
  constructor(cause: unknown) {
    super('unavailable', `the database of the views does not answer: ${texts(cause)}`);
    this.name = 'ViewsUnavailableError';
    this.cause = cause;
  }
}

/** The database is not there yet: whoever starts tries again. */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError';
  constructor(cause: unknown) {
    super(`the database of the views is not there: ${texts(cause)}`, { cause });
  }
}

/** What was set cannot work, now or later: one line for the operator, without a password in it. */
export class StorageSettingError extends Error {
  override readonly name = 'StorageSettingError';
}
