/**
 * URI of the ledger's own extension of A2A, declared on the agent card. Under it stand, in the metadata of a request:
 * `idempotencyKey` (SendMessage, SendStreamingMessage, CancelTask; there in the message's metadata too) and the
 * options of a cancellation (`reason`, `mode`, `graceMs`, `cascade`). In what the ledger answers: `cancellationId` and
 * `dueAt` while a task is asked to stop and on the update that says so, `declined` on the one that takes it back, and
 * `flagged` on a task that cannot be read to its end.
 */
export const extensionUri = 'https://a2a-task-ledger.dev/extensions/ledger/v1';
