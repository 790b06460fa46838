import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import type { LogRecord } from './log.js';

export interface EventFilter {
  readonly matches: (record: LogRecord) => boolean;
  /** Events looked at before a page ends, whether they match or not. */
  readonly searchWindow: number;
  /** Events looked at between two checkpoints. */
  readonly checkpointInterval: number;
}

type FilterOptions = streams.ReadReq.Options.FilterOptions;

const expressionOf = (options: FilterOptions): ((record: LogRecord) => boolean) => {
  const byType = options.hasEventType();
  const expression = byType ? options.getEventType() : options.getStreamIdentifier();
  const regex = expression?.getRegex() ?? '';
  const prefixes = expression?.getPrefixList() ?? [];
  const pattern = regex === '' ? undefined : new RegExp(regex, 'u');
  return (record) => {
    const value = byType ? record.type : record.stream;
    return pattern?.test(value) ?? prefixes.some((prefix) => value.startsWith(prefix));
  };
};

/** What the request asks to see, or undefined when it asks for everything. */
export const readFilter = (options: FilterOptions | undefined, pageSize: number): EventFilter | undefined => {
  if (options === undefined) return undefined;
  const searchWindow = options.hasMax() ? options.getMax() : pageSize;
  const checkpointInterval = Math.max(options.getCheckpointintervalmultiplier(), 1) * searchWindow;
  return { matches: expressionOf(options), searchWindow, checkpointInterval };
};
