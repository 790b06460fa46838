import type { EventStore } from '#event-store';
import { foldVersion } from '#domain';
import type { ViewMark } from '../store/index.js';

/**
 * Whether a view goes on where it stands: filled from this very log by folds of this version, and its last event is
 * where it left it. A log that was put back from a backup, or exchanged, fails here (the view is filled anew).
 */
export const belongsToLog = async (
  mark: ViewMark,
  log: { readonly store: EventStore; readonly logId: string; readonly namespace: string },
): Promise<boolean> => {
  if (mark.logId !== log.logId || mark.foldVersion !== foldVersion) return false;
  if (mark.position === '') return true;
  const [event] = await log.store.readAll({ from: mark.position, limit: 1, prefix: `${log.namespace}.` });
  return event?.position === mark.position && event.id === mark.eventId;
};
