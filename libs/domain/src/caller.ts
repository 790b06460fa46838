/** `user` owns tasks; `agent` works on every task of its tenant; `operator` may do both, and look after the views. */
export type Role = 'user' | 'agent' | 'operator';

export type Via = 'ledger-api' | 'a2a-jsonrpc' | 'a2a-rest' | 'a2a-grpc' | 'system';

/** Who acts, and through which door. */
export interface Caller {
  readonly tenant: string;
  readonly principal: string;
  readonly role: Role;
  readonly via: Via;
  readonly requestId?: string;
  readonly traceparent?: string;
}
