/**
 * The errors that a client throws out of its own stream handlers, where nobody can catch them: a second answer to an
 * append (6.2.1 knows its id no more), and what waits in the client's queue when its stream of appends breaks. The
 * adapter catches both before they get that far; should one come through all the same, it is no reason to end the
 * process: nothing of ours is broken, and the watchdog leaves a client that has gone silent.
 */
export const isKnownClientFault = (error: unknown): boolean =>
  error instanceof Error && (isSecondAnswer(error) || isFromBrokenAppends(error));

const appendsFile =
  /(?:@eventstore[\\/]db-client|@kurrent[\\/]kurrentdb-client)[\\/]dist[\\/]streams[\\/]appendToStream[\\/](?:batchAppend|append)\.js/;

const isSecondAnswer = ({ name, message, stack = '' }: Error): boolean =>
  name === 'TypeError' &&
  message.startsWith('undefined is not iterable') &&
  appendsFile.test(firstFrame(stack));

/** An error of gRPC whose call was made by the client's stream of appends. */
const isFromBrokenAppends = (error: Error): boolean =>
  typeof (error as { code?: unknown }).code === 'number' &&
  'metadata' in error &&
  appendsFile.test(error.stack ?? '');

const firstFrame = (stack: string): string => stack.split('\n').find((line) => /^\s+at /.test(line)) ?? '';
