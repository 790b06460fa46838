import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import type { Expected } from './commit.js';

const noStream = -1;

/** An error as it goes over the wire: status and trailers, by which clients know what it is. */
export class Failure extends Error implements ServiceError {
  readonly metadata = new Metadata();

  constructor(
    readonly code: status,
    readonly details: string,
    trailers: Readonly<Record<string, string | number>> = {},
  ) {
    super(details);
    for (const [key, value] of Object.entries(trailers)) this.metadata.set(key, String(value));
  }
}

export const streamDeleted = (stream: string): Failure =>
  new Failure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

const expectedNumber: Readonly<Record<Exclude<Expected, number>, number>> = {
  any: -2,
  no_stream: noStream,
  stream_exists: -4,
};

/** Of delete and tombstone: appends say it in their reply. */
export const deleteRefused = (stream: string, expected: Expected, current: number): Failure => {
  const number = typeof expected === 'number' ? expected : expectedNumber[expected];
  return new Failure(
    status.FAILED_PRECONDITION,
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${number}, Actual version: ${current}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': number,
      'actual-version': current,
    },
  );
};

export const appendTooBig = (maximum: number): Failure =>
  new Failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${maximum} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': maximum,
  });

/** What a real server says of anything its handler did not expect. */
export const thrownByHandler = (): Failure => new Failure(status.UNKNOWN, 'Exception was thrown by handler.');

export const unexpectedReadResult = (of: 'Stream' | 'All', result: string): Failure =>
  new Failure(status.UNKNOWN, `Unexpected Read${of}Result: ${result}`);

export const invalidPosition = (): Failure =>
  new Failure(status.INVALID_ARGUMENT, 'Trying to read from an invalid position.');

export const consumerTooSlow = (): Failure =>
  new Failure(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );

export const uuidOptionMissing = (): Failure =>
  new Failure(status.INVALID_ARGUMENT, '`uuidOption` is a required argument');

export const notLeader = (leader: { readonly host: string; readonly port: number }): Failure =>
  new Failure(status.NOT_FOUND, `Leader info available`, {
    exception: 'not-leader',
    'leader-endpoint-host': leader.host,
    'leader-endpoint-port': leader.port,
  });

export const notReady = (): Failure => new Failure(status.UNAVAILABLE, 'Server Is Not Ready');

export const unavailable = (): Failure =>
  new Failure(status.UNAVAILABLE, 'the emulator was told to be unavailable');

export const commitTimeout = (): Failure => new Failure(status.ABORTED, 'Operation timed out: CommitTimeout');

export const logFull = (message: string): Failure => new Failure(status.RESOURCE_EXHAUSTED, message);

export const accessDenied = (): Failure =>
  new Failure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const unauthenticated = (): Failure => new Failure(status.UNAUTHENTICATED, 'UNAUTHENTICATED');

export const shuttingDown = (): Failure => new Failure(status.CANCELLED, 'The server is shutting down');
