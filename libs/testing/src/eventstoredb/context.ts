import type { Metadata } from '@grpc/grpc-js';
import {
  accessDenied,
  commitTimeout,
  notLeader,
  notReady,
  unauthenticated,
  unavailable,
  type Failure,
} from './failures.js';
import type { AnswerInstead, CallKind, EmulatorFaults } from './faults.js';
import type { EventLog } from './log.js';
import type { Credentials, EmulatorLimits, ServerVersion } from './options.js';
import type { Protocol } from './protocol.js';

/** How often each call was made since the start. */
export interface CallCounts {
  /** Appends of either path. */
  append: number;
  read: number;
  subscribe: number;
}

/** An open subscription, as the faults see it. */
export interface OpenSubscription {
  /** Ends it with an error. */
  drop(failure: Failure): void;
  /** Ends it as if it had come to an end. */
  end(): void;
  /** Brings nothing more, and no error. */
  silence(): void;
  resume(): void;
}

/** What every service needs. */
export interface ServiceContext {
  readonly protocol: Protocol;
  readonly log: EventLog;
  readonly faults: EmulatorFaults;
  readonly version: ServerVersion;
  readonly slowConsumer: 'drop' | 'catch-up';
  readonly limits: EmulatorLimits;
  readonly credentials: readonly Credentials[] | undefined;
  readonly counts: CallCounts;
  readonly subscriptions: Set<OpenSubscription>;
  readonly port: () => number;
}

/** The failure that stands for the answer; the leader is the emulator itself, unless it was told another port. */
export const failureOf = (context: ServiceContext, answer: AnswerInstead): Failure => {
  switch (answer) {
    case 'not-leader':
      return notLeader({ host: '127.0.0.1', port: context.faults.leaderPort ?? context.port() });
    case 'not-ready':
      return notReady();
    case 'unavailable':
      return unavailable();
    case 'timeout':
      return commitTimeout();
  }
};

/** Why the caller may not do this, if so. Credentials come as basic authentication. */
export const denied = (context: ServiceContext, metadata: Metadata): Failure | undefined => {
  if (context.credentials === undefined) return undefined;
  const [authorization] = metadata.get('authorization');
  if (authorization === undefined) return accessDenied();
  const given = Buffer.from(String(authorization).replace(/^Basic /i, ''), 'base64').toString('utf8');
  const known = context.credentials.some(({ username, password }) => given === `${username}:${password}`);
  return known ? undefined : unauthenticated();
};

/** Why a read or a subscription is not answered, if so. */
export const refusal = (context: ServiceContext, kind: CallKind, metadata: Metadata): Failure | undefined => {
  const failure = denied(context, metadata);
  if (failure !== undefined) return failure;
  const answer = context.faults.takeAnswer(kind);
  return answer === undefined ? undefined : failureOf(context, answer);
};
