import type { RecordedTaskEvent } from './events.js';
import type { KnownCommand, Task } from './state.js';

/** Commands under an idempotency key that a task remembers, beside its create. */
export const knownCommandsMax = 1_000;

/** The command that came under an idempotency key, if this task remembers it. */
export const knownCommand = (task: Task, commandId: string): KnownCommand | undefined =>
  task.createCommand?.commandId === commandId
    ? task.createCommand
    : task.commands.findLast((known) => known.commandId === commandId);

/** The command behind an event; only one under a key has a hash. */
export const commandOf = ({ metadata, revision }: RecordedTaskEvent): KnownCommand | undefined =>
  metadata.requestHash === undefined
    ? undefined
    : { commandId: metadata.commandId, requestHash: metadata.requestHash, revision };

/** The newest commands with one more; a command's last event stands for it. Copied once, for this is a hot path. */
export const remember = (
  commands: readonly KnownCommand[],
  command: KnownCommand,
): readonly KnownCommand[] => {
  if (commands.at(-1)?.commandId === command.commandId) return commands.with(-1, command);
  const newest = [...commands, command];
  if (newest.length > knownCommandsMax) newest.shift();
  return newest;
};
