import { plain, type Content } from '../content.js';
import { defined, type JsonObject } from '../json.js';
import { hasChild } from '../task/children.js';
import { quotedPrefix, utf8Bytes } from '../text/utf8.js';
import { later } from '../time.js';
import type {
  LateCommand,
  LinkLateChild,
  NoteDescendantsCancellation,
  RecordLateUpdate,
} from './commands.js';
import type { LateEvent } from './events.js';
import type { LateLog } from './log.js';

/** Refused updates that a task keeps, the first ones; and bytes of JSON that are kept of each. */
export const lateUpdatesMax = 100;
export const lateUpdateBytesMax = 8 * 1024;

const wrapping = utf8Bytes(JSON.stringify({ json: '' })) - 2; // Without the quotes of the text.

/** The update, or the beginning of its JSON as a text. */
const cut = (update: JsonObject): Content<{ readonly update: JsonObject; readonly truncated?: boolean }> => {
  const json = JSON.stringify(update);
  if (utf8Bytes(json) <= lateUpdateBytesMax) return plain({ update });
  return plain({ update: { json: quotedPrefix(json, lateUpdateBytesMax - wrapping) }, truncated: true });
};

const recordLateUpdate = (
  command: RecordLateUpdate,
  at: string,
  log: LateLog | undefined,
): readonly LateEvent[] => {
  const refusedIds = log?.refusedIds ?? [];
  if (refusedIds.includes(command.eventId) || refusedIds.length >= lateUpdatesMax) return [];
  const { taskId, attempted, to, artifactId, state, revision, occurredAt, update } = command;
  const data = defined({
    at,
    occurredAt,
    taskId,
    attempted,
    to,
    artifactId,
    state,
    revision,
    content: cut(update),
  });
  return [{ type: 'LateUpdateRefused', data }];
};

const linkLateChild = (
  command: LinkLateChild,
  at: string,
  log: LateLog | undefined,
): readonly LateEvent[] => {
  const { parentTaskId, child } = command;
  if (log !== undefined && hasChild(log, child.taskId)) return [];
  return [{ type: 'LateChildLinked', data: { at, parentTaskId, child } }];
};

const noteDescendantsCancellation = (
  { cancellationId }: NoteDescendantsCancellation,
  at: string,
  log: LateLog | undefined,
): readonly LateEvent[] => {
  if (log?.notedCancellationIds.includes(cancellationId) === true) return [];
  return [{ type: 'DescendantsCancellationNoted', data: { at, cancellationId } }];
};

/** What is noted beside a task; nothing where it is noted already, or where there is no room for more of it. */
export const decideLate = (command: LateCommand, log: LateLog | undefined): readonly LateEvent[] => {
  const at = log === undefined ? command.at : later(command.at, log.updatedAt);
  switch (command.type) {
    case 'RecordLateUpdate':
      return recordLateUpdate(command, at, log);
    case 'LinkLateChild':
      return linkLateChild(command, at, log);
    case 'NoteDescendantsCancellation':
      return noteDescendantsCancellation(command, at, log);
  }
};
