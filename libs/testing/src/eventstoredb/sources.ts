import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import { behaviours } from './behaviour.js';
import type { ServiceContext } from './context.js';
import { invalidPosition, thrownByHandler, type Failure } from './failures.js';
import { readFilter, type EventFilter } from './filter.js';
import type { EventLog, LogRecord } from './log.js';
import type { WirePosition } from './requests.js';
import { firstShown } from './stream-settings.js';

export interface Page {
  /** Those of it that the subscriber asked for. */
  readonly records: readonly LogRecord[];
  readonly considered: number;
  /** Where it began. */
  readonly start: WirePosition;
  /** Whether it ran into the end of the log. */
  readonly atEnd: boolean;
}

/** What a subscription is of, and how far it has come. */
export interface Source {
  /** Events after which a filtered subscription tells where it is; undefined for the others. */
  readonly checkpointInterval: number | undefined;
  /** The subscription starts at what is no start of a record. */
  readonly invalidStart: { readonly confirmFirst: boolean; readonly failure: Failure } | undefined;
  /** Where it starts, as a checkpoint tells it. */
  readonly start: WirePosition;
  /** Whether there was anything at all when the subscription began. */
  readonly wasMissing: boolean;
  /** Records that it has not looked at. */
  pending(): number;
  /** Whether more than so many of those that it has not looked at are for the subscriber. */
  isBehindBy(count: number): boolean;
  page(): Page;
  /** The next record, and whether the subscriber asked for it. */
  next(): { readonly record: LogRecord; readonly wanted: boolean } | undefined;
}

const compare = (left: WirePosition, right: WirePosition): number =>
  left.commit - right.commit || left.prepare - right.prepare;

export const positionOf = ({ position }: LogRecord): WirePosition => ({
  commit: position,
  prepare: position,
});

export const isAfter = (left: WirePosition, right: WirePosition): boolean => compare(left, right) > 0;

const startOfLog: WirePosition = { commit: 0, prepare: 0 };
/** Before the start. A checkpoint there goes out as the biggest number there is: a fault of real servers. */
const beforeLog: WirePosition = { commit: -1, prepare: -1 };

const invalidStartOf = (context: ServiceContext, from: WirePosition): Source['invalidStart'] => {
  if (from.prepare > from.commit) return { confirmFirst: false, failure: thrownByHandler() };
  if (context.log.isStart(from.commit)) return undefined;
  const { confirmsFirst } = behaviours[context.version];
  return { confirmFirst: confirmsFirst, failure: confirmsFirst ? invalidPosition() : thrownByHandler() };
};

const endOf = ({ last }: EventLog): WirePosition => (last === undefined ? beforeLog : positionOf(last));

class AllSource implements Source {
  readonly start: WirePosition;
  readonly invalidStart: Source['invalidStart'];
  readonly wasMissing = false;
  readonly #filter: EventFilter | undefined;
  /** Records up to here are none of the subscriber's. */
  readonly #after: WirePosition | undefined;
  #index: number;
  #pageStart: WirePosition;

  constructor(
    private readonly context: ServiceContext,
    from: WirePosition | 'start' | 'end',
    filter: streams.ReadReq.Options.FilterOptions | undefined,
  ) {
    const { log } = context;
    this.#filter = readFilter(filter, context.limits.pageSize);
    this.start = from === 'start' ? beforeLog : from === 'end' ? endOf(log) : from;
    this.#pageStart = from === 'start' || from === 'end' ? startOfLog : from;
    this.invalidStart = from === 'start' || from === 'end' ? undefined : invalidStartOf(context, from);
    const bringsAll = this.#pageStart.commit >= log.end && behaviours[context.version].bringsBeforeStart;
    this.#after = from === 'start' || from === 'end' || bringsAll ? undefined : from;
    this.#index = from === 'end' ? log.records.length : log.indexFrom(this.#pageStart.commit);
    this.#skipStart();
  }

  get checkpointInterval(): number | undefined {
    return this.#filter?.checkpointInterval;
  }

  pending(): number {
    return this.context.log.records.length - this.#index;
  }

  isBehindBy(count: number): boolean {
    const { records } = this.context.log;
    let wanted = 0;
    for (let at = this.#index; at < records.length && wanted <= count; at += 1)
      if (this.#filter?.matches(records[at]!) ?? true) wanted += 1;
    return wanted > count;
  }

  page(): Page {
    const { pageSize } = this.context.limits;
    const window = this.#filter?.searchWindow ?? pageSize;
    const start = this.#pageStart;
    const records: LogRecord[] = [];
    let considered = 0;
    let atEnd = false;
    while (records.length < pageSize && considered < window && !atEnd) {
      const next = this.next();
      if (next === undefined) atEnd = true;
      else {
        considered += 1;
        if (next.wanted) records.push(next.record);
      }
    }
    // A page begins where the one before it ended: at the next record's start, which nobody has looked at.
    this.#pageStart = { commit: this.#startOfNext(), prepare: 0 };
    return { records, considered, start, atEnd };
  }

  next(): { readonly record: LogRecord; readonly wanted: boolean } | undefined {
    const record = this.context.log.records[this.#index];
    if (record === undefined) return undefined;
    this.#index += 1;
    const isAhead = this.#after === undefined || isAfter(positionOf(record), this.#after);
    return { record, wanted: isAhead && (this.#filter?.matches(record) ?? true) };
  }

  #startOfNext(): number {
    const { log } = this.context;
    return log.records[this.#index]?.position ?? log.end;
  }

  /** The event at the start is the one that the subscriber has handled. */
  #skipStart(): void {
    const record = this.context.log.records[this.#index];
    if (record !== undefined && this.#after !== undefined && !isAfter(positionOf(record), this.#after))
      this.#index += 1;
  }
}

class StreamSource implements Source {
  readonly start = beforeLog;
  readonly checkpointInterval = undefined;
  readonly invalidStart = undefined;
  readonly wasMissing: boolean;
  readonly #after: number;
  #index: number;

  constructor(
    private readonly context: ServiceContext,
    private readonly stream: string,
    from: number | 'start' | 'end',
  ) {
    const { length } = context.log.stream(stream);
    this.wasMissing = length === 0;
    this.#after = from === 'start' || from === 'end' ? -1 : from;
    this.#index = from === 'end' ? length : Math.min(this.#after + 1, length);
  }

  pending(): number {
    return this.context.log.stream(this.stream).length - this.#index;
  }

  isBehindBy(count: number): boolean {
    return this.pending() > count;
  }

  page(): Page {
    const records: LogRecord[] = [];
    let atEnd = false;
    while (records.length < this.context.limits.pageSize && !atEnd) {
      const next = this.next();
      if (next === undefined) atEnd = true;
      else if (next.wanted) records.push(next.record);
    }
    return { records, considered: records.length, start: startOfLog, atEnd };
  }

  next(): { readonly record: LogRecord; readonly wanted: boolean } | undefined {
    const { log } = this.context;
    const record = log.stream(this.stream)[this.#index];
    if (record === undefined) return undefined;
    this.#index += 1;
    const shown = firstShown(log.settings(this.stream), log.currentRevision(this.stream));
    return { record, wanted: record.revision > this.#after && record.revision >= shown };
  }
}

/** Everything, or what the filter lets through. */
export const allSource = (
  context: ServiceContext,
  from: WirePosition | 'start' | 'end',
  filter: streams.ReadReq.Options.FilterOptions | undefined,
): Source => new AllSource(context, from, filter);

/** One stream, after the given revision. */
export const streamSource = (
  context: ServiceContext,
  stream: string,
  from: number | 'start' | 'end',
): Source => new StreamSource(context, stream, from);
