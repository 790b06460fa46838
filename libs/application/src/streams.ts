/** What a stream of the ledger is about, by its name. */
export type StreamSubject =
  | { readonly kind: 'task'; readonly taskId: string }
  | { readonly kind: 'late'; readonly taskId: string }
  | { readonly kind: 'cancellation'; readonly cancellationId: string }
  | { readonly kind: 'log' }
  /** A stream under our prefix that this version does not know. */
  | { readonly kind: 'other' };

/** Names of the streams of one namespace (docs/EVENTS.md); every subscription filters on `prefix`. */
export interface StreamNames {
  readonly prefix: string;
  readonly log: string;
  task(taskId: string): string;
  late(taskId: string): string;
  cancellation(cancellationId: string): string;
  /** The id of the task whose own stream this is, without building an object: it is asked for every event. */
  taskIdOf(stream: string): string | undefined;
  subjectOf(stream: string): StreamSubject;
}

const subjectUnder = (prefix: string, stream: string): StreamSubject => {
  if (!stream.startsWith(prefix)) return { kind: 'other' };
  const name = stream.slice(prefix.length);
  if (name === 'log') return { kind: 'log' };
  const dash = name.indexOf('-');
  const id = name.slice(dash + 1);
  if (dash < 0 || id === '') return { kind: 'other' };
  switch (name.slice(0, dash)) {
    case 'task':
      return { kind: 'task', taskId: id };
    case 'late':
      return { kind: 'late', taskId: id };
    case 'cancellation':
      return { kind: 'cancellation', cancellationId: id };
    default:
      return { kind: 'other' };
  }
};

export const streamNames = (namespace: string): StreamNames => {
  const prefix = `${namespace}.`;
  const taskPrefix = `${prefix}task-`;
  return {
    prefix,
    log: `${prefix}log`,
    task: (taskId) => taskPrefix + taskId,
    late: (taskId) => `${prefix}late-${taskId}`,
    cancellation: (cancellationId) => `${prefix}cancellation-${cancellationId}`,
    taskIdOf: (stream) => (stream.startsWith(taskPrefix) ? stream.slice(taskPrefix.length) : undefined),
    subjectOf: (stream) => subjectUnder(prefix, stream),
  };
};
