import { DomainError } from '#domain';
import { AppendTooLargeError, OutcomeUnknownError, StoreUnavailableError } from '#event-store';

export const unavailable = (message: string): DomainError => new DomainError('unavailable', message);

/** Whether the store could not be asked: then a snapshot may answer instead, flagged as stale. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof StoreUnavailableError || error instanceof OutcomeUnknownError;

/** What a caller is told when the store fails; anything else is a defect and passes as it is. */
export const asDomainError = (error: unknown): unknown => {
  if (error instanceof AppendTooLargeError) {
    return new DomainError('payload-too-large', `the write has ${String(error.bytes)} bytes`, {
      limit: error.limit,
    });
  }
  if (isStoreAway(error)) return unavailable('the event store takes no calls now');
  return error;
};

/** Runs a call of the application; the store's own errors become codes. */
export const translated = async <Result>(call: () => Promise<Result>): Promise<Result> => {
  try {
    return await call();
  } catch (error) {
    throw asDomainError(error);
  }
};
