import { isJsonObject } from '../json.js';
import type { Check } from './shape.js';

/** What a stored body means, or why this version cannot say. */
export type Reading<Event> =
  { readonly ok: true; readonly event: Event } | { readonly ok: false; readonly error: string };

/** Brings a body of one version to the next; it is lifted when read and never rewritten. */
export type Lift = (data: Record<string, unknown>) => Record<string, unknown>;

/** What a reader knows of one event type: the shape of its newest version, and how older ones become it. */
export interface Readable {
  readonly check: Check;
  /** From version 1 to 2, from 2 to 3, …: the newest version is one more than there are lifts. */
  readonly lifts?: readonly Lift[];
}

const unreadable = (error: string) => ({ ok: false, error }) as const;

/** `v` is absent in version 1. */
const versionOf = (data: Record<string, unknown>): number | undefined => {
  if (data.v === undefined) return 1;
  return Number.isSafeInteger(data.v) && (data.v as number) >= 1 ? (data.v as number) : undefined;
};

const lifted = (
  data: Record<string, unknown>,
  version: number,
  lifts: readonly Lift[],
): Record<string, unknown> => lifts.slice(version - 1).reduce((body, lift) => lift(body), data);

/**
 * A reader of the events of one kind of stream. It accepts what decisions and folds can rely on, and says of
 * everything else why not: an unknown type, a newer version, another shape (C43).
 */
export const readerOf = <Event>(types: Readonly<Record<string, Readable>>) => {
  const known = new Map(Object.entries(types));
  return (type: string, data: unknown): Reading<Event> => {
    const readable = known.get(type);
    if (readable === undefined) return unreadable(`type ${type} is not known`);
    if (!isJsonObject(data)) return unreadable('data must be an object');
    const { check, lifts = [] } = readable;
    const version = versionOf(data);
    if (version === undefined) return unreadable('v must be a version');
    if (version > lifts.length + 1) return unreadable(`v ${String(version)} is newer than this reader`);
    const body = version === lifts.length + 1 ? data : lifted(data, version, lifts);
    const error = check(body);
    return error === undefined ? { ok: true, event: { type, data: body } as Event } : unreadable(error);
  };
};
