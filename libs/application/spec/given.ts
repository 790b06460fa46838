import type { Caller, Message } from '#domain';
import type { EventStore } from '#event-store';
import { openLedger, systemIds, type Clock, type Ledger, type LedgerOptions } from '../src/index.js';

export const alice: Caller = { tenant: 'acme', principal: 'alice', role: 'user', via: 'a2a-jsonrpc' };
export const mallory: Caller = { tenant: 'acme', principal: 'mallory', role: 'user', via: 'a2a-jsonrpc' };
export const stranger: Caller = { tenant: 'other', principal: 'alice', role: 'operator', via: 'ledger-api' };
export const worker: Caller = { tenant: 'acme', principal: 'worker-1', role: 'agent', via: 'ledger-api' };
export const operator: Caller = { tenant: 'acme', principal: 'olga', role: 'operator', via: 'ledger-api' };

/** A clock that stands still until it is moved. */
export class HandClock implements Clock {
  constructor(public milliseconds = Date.parse('2026-03-01T12:00:00.000Z')) {}

  now(): number {
    return this.milliseconds;
  }

  move(milliseconds: number): void {
    this.milliseconds += milliseconds;
  }
}

/** A clock that moves on by a millisecond each time it is asked. */
export class TickingClock extends HandClock {
  override now(): number {
    this.milliseconds += 1;
    return this.milliseconds;
  }
}

export const userMessage = (messageId: string, text = messageId, more: Partial<Message> = {}): Message => ({
  messageId,
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});

export const agentMessage = (messageId: string, text = messageId): Message => ({
  messageId,
  role: 'ROLE_AGENT',
  parts: [{ text }],
});

/** A ledger over a store; the same store again is the same ledger after a restart. */
export const ledgerOn = (store: EventStore, options: Partial<LedgerOptions> = {}): Promise<Ledger> =>
  openLedger({
    store,
    clock: new TickingClock(),
    ids: systemIds,
    namespace: 'ledger',
    hotFoldsMiB: 8,
    ...options,
  });

/** Types of a stream's events, in order. */
export const typesIn = async (store: EventStore, stream: string): Promise<string[]> =>
  (await store.readStream(stream, { limit: 4_096 })).map(({ type }) => type);

/** What a call was refused with: the code, and the rest of the refusal. */
export const refusalOf = async (
  call: Promise<unknown>,
): Promise<{ code: string; [field: string]: unknown }> => {
  try {
    await call;
  } catch (error) {
    const { code, detail } = error as { code: string; detail: Record<string, unknown> };
    if (code === undefined) throw error;
    return { code, ...detail };
  }
  throw new Error('the call was not refused');
};
