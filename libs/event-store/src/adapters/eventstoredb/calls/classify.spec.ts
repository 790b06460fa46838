import { CallExpiredError } from '../client/waiting-calls.js';
import { ClientLeftError, type CallKind } from '../driver/client-listener.js';
import { classify } from './classify.js';

const judged = (parts: object, kind: CallKind = 'append', elapsed = 2_000): ReturnType<typeof classify> =>
  classify(Object.assign(new Error(''), parts), { kind, elapsed, wireDeadline: 300_000 });

/** A raw error of gRPC with the trailer by which the server names it. */
const trailer = (exception: string): object => ({
  metadata: { get: (key: string) => (key === 'exception' ? [exception] : []) },
});

describe('what an error of the client means', () => {
  it('a conflict says where the stream stands, in the words of either client', () => {
    expect(judged({ type: 'wrong-expected-version', actualVersion: 7n })).toMatchObject({
      kind: 'conflict',
      actual: 7,
      contact: true,
    });
    expect(judged({ type: 'wrong-expected-version', actualState: 'no_stream' })).toMatchObject({
      kind: 'conflict',
      actual: 'none',
    });
  });

  it.each([
    ['too large', { type: 'maximum-append-size-exceeded', maxAppendSize: 1_048_576 }, 'too-large'],
    [
      'too large, in later words',
      { message: 'Could not recognize maximum-append-event-size-exceeded' },
      'too-large',
    ],
    ['a tombstone', { type: 'stream-deleted' }, 'stream-deleted'],
    ['a tombstone, raw', { code: 9, ...trailer('stream-deleted') }, 'stream-deleted'],
    ['no credentials', { type: 'access-denied' }, 'access-denied'],
    ['a wrong password', { code: 16, message: '16 UNAUTHENTICATED' }, 'access-denied'],
    ['not allowed to read $all', { code: 7, message: '7 PERMISSION_DENIED' }, 'access-denied'],
    ['an empty type', { type: 'unknown', message: 'Could not recognize BadRequest' }, 'refused'],
    [
      'a server that starts or stops',
      { type: 'unknown', message: 'Could not recognize Server Is Not Ready' },
      'not-written',
    ],
    [
      'nobody there',
      { code: 14, message: '14 UNAVAILABLE: No connection established. ECONNREFUSED' },
      'not-written',
    ],
    ['no such host', { code: 14, message: '14 UNAVAILABLE: Name resolution failed' }, 'not-written'],
    [
      'an unknown authority',
      { code: 14, message: '14 UNAVAILABLE: unable to verify the first certificate' },
      'not-written',
    ],
    ['a cluster nobody found', { message: 'Failed to discover after 10 attempts.' }, 'not-written'],
    ['its features not asked', { code: 14, message: '14 UNAVAILABLE: read ECONNRESET' }, 'not-written'],
    [
      'a lost connection',
      { type: 'unavailable', code: 14, message: '14 UNAVAILABLE: read ECONNRESET' },
      'unknown',
    ],
    ['a canceled call', { type: 'unknown', code: 1, message: '1 CANCELLED: Call cancelled' }, 'unknown'],
    [
      'a server that stops',
      { type: 'unknown', message: '13 INTERNAL: Received RST_STREAM with code 0' },
      'unknown',
    ],
    ['replicas that did not answer', { type: 'timeout', code: 10 }, 'unknown'],
    ['not the leader', { type: 'not-leader', code: 5 }, 'unknown'],
    ['not the leader, raw', { code: 5, ...trailer('not-leader') }, 'unknown'],
    ['a fault nobody foresaw', { message: 'x is not a function' }, 'unknown'],
  ])('%s', (_, parts, kind) => {
    expect(judged(parts)).toMatchObject({ kind });
  });

  it('a deadline that has passed at once is a matter of clocks, a later one leaves the outcome open', () => {
    expect(judged({ type: 'deadline-exceeded' }, 'append', 5)).toMatchObject({ kind: 'clock-behind' });
    expect(judged({ type: 'deadline-exceeded' }, 'append', 2_010)).toMatchObject({ kind: 'unknown' });
  });

  it('our own timer and a client that was left leave the outcome open, unless nothing was sent', () => {
    const times = { kind: 'append', elapsed: 3_000, wireDeadline: 300_000 } as const;
    expect(classify(new CallExpiredError(), times)).toMatchObject({ kind: 'unknown' });
    expect(classify(new ClientLeftError('silent'), times)).toMatchObject({ kind: 'unknown', contact: false });
    // It says nothing of the server, which may answer the next client already.
    expect(classify(new ClientLeftError('silent', false), times)).toMatchObject({
      kind: 'not-written',
      contact: undefined,
    });
  });

  it('a read tells a position without an event from a server that failed', () => {
    const failed = { code: 2, message: '2 UNKNOWN: Unexpected ReadAllResult: Error' };
    expect(judged(failed, 'read')).toMatchObject({ kind: 'read-failed', poisoned: false });
    const nowhere = { code: 2, message: '2 UNKNOWN: Unexpected ReadAllResult: InvalidPosition' };
    expect(judged(nowhere, 'read')).toMatchObject({ kind: 'no-such-position' });
  });

  it.each([
    ['a lost connection', { type: 'unavailable', code: 14 }, false, false],
    ['nobody there', { code: 14, message: 'ECONNREFUSED' }, false, false],
    ['a conflict', { type: 'wrong-expected-version', actualVersion: 1n }, true, false],
    ['not ready', { type: 'unknown', message: 'Could not recognize Server Is Not Ready' }, true, false],
    ['a wrong password, which the client remembers', { code: 16 }, true, true],
    ['an internal error, which the client remembers', { code: 13, message: '13 INTERNAL: x' }, true, true],
  ])('%s: is it the word of the server, and is the client left', (_, parts, contact, poisoned) => {
    expect(judged(parts)).toMatchObject({ contact, poisoned });
  });

  it('the reason is one line, whatever the error looks like', () => {
    expect(judged({ message: '14 UNAVAILABLE: no\nstack' }).reason).toBe('14 UNAVAILABLE: no');
    expect(judged({ type: 'stream-deleted' }).reason).toBe('stream-deleted');
    expect(classify('a text', { kind: 'read', elapsed: 0, wireDeadline: 1 }).reason).toBe('a text');
  });
});
