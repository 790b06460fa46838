/** A timer that stands in an event: the `dueAt` of an open request, or a task's deadline. */
export interface DueTimer {
  readonly taskId: string;
  readonly dueAt: string;
  readonly kind: 'request' | 'deadline';
  /** Of the request. */
  readonly cancellationId?: string;
}

/** The open timers, as a view: a task that has ended, or whose request was answered, has none. */
export interface DueTimers {
  /** Due at or before this instant, the oldest first. Empty while the view is being filled. */
  due(until: string, limit: number): Promise<readonly DueTimer[]>;
}
