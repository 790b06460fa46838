import { invalid, readMetadata, type Caller } from '#domain';
import type { EventStore, Position, RecordedEvent } from '#event-store';
import { assertMayDo, maySee } from '../access/rights.js';
import type { EventFrame } from '../application.js';
import { parseJsonText } from '../codec/decode.js';
import type { Positions } from '../positions.js';
import { Outage } from './outages.js';
import { frameOf } from '../reading/frames.js';
import type { StreamNames } from '../streams.js';

export interface FeedParts {
  readonly store: EventStore;
  readonly names: StreamNames;
  readonly positions: Positions;
}

export interface FeedOptions {
  readonly from: string | 'start' | 'end';
  readonly types?: readonly string[];
  readonly signal: AbortSignal;
}

/** Events of one store message of a feed; the consumer sets the pace. */
const feedBatchSize = 100;

/** A position that a client sends must be one that an event stands at. */
const startOf = async (
  { store, names, positions }: FeedParts,
  from: string,
): Promise<Position | 'start' | 'end'> => {
  if (from === 'start' || from === 'end') return from;
  const position = positions.parse(from, 'from');
  const [there] = await store.readAll({ from: position, limit: 1, prefix: names.prefix });
  if (there?.position !== position) throw invalid('from', 'no event stands at this position');
  return position;
};

/** The event for this caller, or nothing: its metadata says whose it is. */
const scoped = (recorded: RecordedEvent, caller: Caller, parts: FeedParts): EventFrame | undefined => {
  const parsed = parseJsonText(recorded.metadata, 'metadata');
  const metadata = parsed.ok ? readMetadata(parsed.value) : parsed;
  if (!metadata.ok || !maySee(caller, metadata.metadata)) return undefined;
  return frameOf(recorded, parts.names, parts.positions, metadata.metadata);
};

/** Every event of the caller's scope after a position, for as long as the signal lets it. */
export async function* feedOf(
  parts: FeedParts,
  caller: Caller,
  { from, types, signal }: FeedOptions,
): AsyncGenerator<readonly EventFrame[]> {
  assertMayDo(caller, 'feed');
  const start = await startOf(parts, from);
  const wanted = types && new Set(types);
  for await (const events of eventsFrom(parts, start, signal)) {
    const frames = events.flatMap((recorded) =>
      wanted?.has(recorded.type) === false ? [] : (scoped(recorded, caller, parts) ?? []),
    );
    if (frames.length > 0) yield frames;
  }
}

/** A feed outlives a subscription that ends in spite of its promise: it goes on after what was handed out. */
async function* eventsFrom(
  { store, names: { prefix } }: FeedParts,
  start: Position | 'start' | 'end',
  signal: AbortSignal,
): AsyncGenerator<readonly RecordedEvent[]> {
  const outage = new Outage(signal);
  let from = start;
  while (!signal.aborted) {
    try {
      for await (const message of store.subscribe({ from, prefix, signal, batchSize: feedBatchSize })) {
        if (message.kind !== 'events') continue;
        outage.over();
        from = message.events.at(-1)?.position ?? from;
        yield message.events;
      }
      return;
    } catch (error) {
      await outage.waitOut(error);
    }
  }
}
