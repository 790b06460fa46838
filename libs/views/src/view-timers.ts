import type { DueTimer, DueTimers } from '#application';
import type { ServingView } from './keeping/serving-view.js';

/** Most timers of one answer; the others are found when these have been fired. */
export const dueTimersMax = 4_096;

/** The view as the list of open timers. Whoever fires one is decided on the stream: a view behind it does no harm. */
export class ViewTimers implements DueTimers {
  constructor(private readonly serving: ServingView) {}

  async due(until: string, limit: number): Promise<readonly DueTimer[]> {
    const { database } = this.serving;
    const time = Date.parse(until);
    if (Number.isNaN(time)) throw new RangeError(`not an instant: ${until}`);
    return database === undefined ? [] : database.dueTimers(time, Math.min(limit, dueTimersMax));
  }
}
