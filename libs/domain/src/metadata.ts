import type { Role } from './caller.js';

/**
 * Metadata of every event: a flat map of strings, on every stream. `tenant` and `owner` are those of the task (they
 * scope feeds and lists), `principal` and `role` those of whoever acted.
 */
export interface EventMetadata {
  readonly tenant: string;
  readonly owner: string;
  readonly principal: string;
  readonly role: Role | 'system';
  /** The surface: `ledger-api`, `a2a-jsonrpc`, `a2a-rest`, `a2a-grpc`, `system`. */
  readonly via: string;
  readonly requestId?: string;
  /** UUIDv8 of the idempotency key's scope, random without a key. */
  readonly commandId: string;
  /** SHA-256 (hex) of the validated input in RFC 8785 form; only with a key. */
  readonly requestHash?: string;
  readonly traceparent?: string;
  /** The event that caused this one, else the commandId. */
  readonly $causationId: string;
  /** The cancellation on every event a cascade writes, else the root task named in this task's own stream. */
  readonly $correlationId: string;
}
