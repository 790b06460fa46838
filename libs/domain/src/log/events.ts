import type { At } from '../task/events.js';

/** The one event of `<ns>.log`: fixes the log's identity, 8 characters of lower-case letters and digits. */
export interface LogEventData {
  LogOpened: At & { readonly logId: string };
}
export interface LogEvent {
  readonly type: 'LogOpened';
  readonly data: LogEventData['LogOpened'];
}
