/**
 * A mistake of the operator in what names or reaches the database: waiting does not help. One line, without the
 * password.
 */
export class EventStoreSettingError extends Error {
  override readonly name = 'EventStoreSettingError';
  readonly code = 'event-store-setting';
}
