/**
 * Who of several instances runs what only one should run. Leadership spares work; safety never rests on it: positions
 * move by compare-and-set and appends by exact revision, so that two leaders for a moment do nothing twice.
 */

export const consumers = ['projector', 'saga', 'timers'] as const;
export type Consumer = (typeof consumers)[number];

export type Standing = 'leading' | 'standing-by';

export interface Candidacy {
  readonly standing: Standing;
  /** Stops leading, lets another one lead, and stands no more. */
  close(): Promise<void>;
}

export interface Leadership {
  /**
   * Leads as soon as nobody else does: `lead` runs until its signal is aborted (leadership was lost, or the candidacy
   * was closed) and must then end; it runs anew when leadership comes back.
   */
  stand(consumer: Consumer, lead: (signal: AbortSignal) => Promise<void>): Candidacy;
  close(): Promise<void>;
}
