import type { CascadeDesk } from '#application';
import type { EventPlace } from '#domain';

/** An event of any stream, and what it says. */
export type Found = NonNullable<Awaited<ReturnType<CascadeDesk['event']>>>;

export const placeOf = ({ recorded, decoded }: Found): EventPlace => ({
  position: recorded.position,
  eventId: recorded.id,
  // What cannot be read has no time of its own.
  at: decoded.kind === 'unreadable' ? recorded.created : decoded.event.data.at,
});
