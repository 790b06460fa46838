import { setImmediate as nextTurn } from 'node:timers/promises';
import { streamNames, type StreamSubject } from '#application';
import type { Position } from '#event-store';
import type { ServingView } from '../keeping/serving-view.js';
import type { ViewMismatch } from '../reading.js';
import type { ViewDatabase } from '../store/index.js';
import { checkCancellation } from './cancellation-check.js';
import { eventsUntil, type LogParts } from './log-reading.js';
import { checkTask } from './task-check.js';

/** Differences that one answer names. */
export const mismatchesMax = 100;
/** Streams that are compared before others get their turn. */
const streamsPerTurn = 32;
const strangersPage = 1_000;
/** Comparisons of one stream while the view moves on; what still differs then is told. */
const attemptsMax = 20;

export interface VerificationParts extends LogParts {
  readonly serving: ServingView;
}

export interface Verification {
  /** Tasks. */
  readonly checked: number;
  readonly mismatches: readonly ViewMismatch[];
}

type Subject = Extract<StreamSubject, { kind: 'task' | 'cancellation' }>;

/** Folds the streams of all tasks and cancellations again and compares them with the view. Reads only. */
export class Verifier {
  constructor(private readonly parts: VerificationParts) {}

  async verify(): Promise<Verification> {
    const mismatches: ViewMismatch[] = [];
    const compared = { task: 0, cancellation: 0 };
    for await (const subject of this.#subjects()) {
      if (mismatches.length >= mismatchesMax) break;
      mismatches.push(...(await this.#compare(subject)));
      compared[subject.kind] += 1;
      if ((compared.task + compared.cancellation) % streamsPerTurn === 0) await nextTurn();
    }
    return { checked: compared.task, mismatches: mismatches.slice(0, mismatchesMax) };
  }

  /** Every task and cancellation that the log knows, then the tasks that only the view knows. */
  async *#subjects(): AsyncGenerator<Subject, void, undefined> {
    const { serving, namespace } = this.parts;
    const names = streamNames(namespace);
    let tasks = 0;
    for await (const { revision, stream } of eventsUntil(this.parts, serving.position)) {
      const subject = revision === 0 ? names.subjectOf(stream) : undefined;
      if (subject?.kind !== 'task' && subject?.kind !== 'cancellation') continue;
      if (subject.kind === 'task') tasks += 1;
      yield subject;
    }
    if ((await serving.complete.counts()).tasks > tasks) yield* this.#strangers();
  }

  /** Tasks of the view without a stream. */
  async *#strangers(): AsyncGenerator<Subject, void, undefined> {
    const { serving, store, namespace } = this.parts;
    const names = streamNames(namespace);
    let after = 0;
    for (;;) {
      const tasks = await serving.complete.taskIdsAfter(after, strangersPage);
      for (const { taskId, taskKey } of tasks) {
        after = taskKey;
        const [first] = await store.readStream(names.task(taskId), { limit: 1 });
        if (first === undefined) yield { kind: 'task', taskId };
      }
      if (tasks.length === 0) return;
    }
  }

  /** What the view holds is read piece by piece, and counts only where nobody moved the view on in between. */
  async #compare(subject: Subject): Promise<readonly ViewMismatch[]> {
    for (let attempt = 1; ; attempt += 1) {
      const { complete } = this.parts.serving;
      const before = await complete.mark();
      const found = await this.#differences(subject, complete, before.position);
      if (found.length === 0 || attempt === attemptsMax) return found;
      const after = await complete.mark();
      if (after.position === before.position && after.generation === before.generation) return found;
    }
  }

  #differences(subject: Subject, view: ViewDatabase, position: Position): Promise<readonly ViewMismatch[]> {
    return subject.kind === 'task'
      ? checkTask(view, this.parts, { taskId: subject.taskId, position })
      : checkCancellation(view, this.parts, { cancellationId: subject.cancellationId, position });
  }
}
