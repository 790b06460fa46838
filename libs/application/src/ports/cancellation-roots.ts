/** Finds a cancellation by its root's own event, for the moment before `CancellationOpened` is written. */
export interface CancellationRoots {
  rootOfCancellation(
    cancellationId: string,
  ): Promise<{ readonly rootTaskId: string; readonly rootRevision: number } | undefined>;
}
