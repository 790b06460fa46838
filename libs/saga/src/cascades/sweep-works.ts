import type { SettledNode, WaitingNode } from '#domain';
import type { SweepWork } from '../sweep/known.js';
import { linesMax, type Sweep } from '../sweep/sweep.js';
import type { Calls } from '../work/calls.js';
import type { Certificate } from './certificate.js';
import { knownOf, type Nodes, type NodeView } from './nodes.js';

/** Lines that wait to be written; beyond them no new work is begun. */
export const linesWaitingMax = 4 * linesMax;

/** Something to do for one task of one sweep. */
type Piece = { readonly sweep: Sweep; readonly taskId: string } & (
  | {
      readonly kind: 'sweep';
      readonly work: SweepWork;
      readonly view: NodeView | undefined;
      readonly failures: number;
    }
  /** Writes that the task is waited for. */
  | { readonly kind: 'await'; readonly node: WaitingNode }
  /** The task is waited for, and something happened to it. */
  | { readonly kind: 'look'; readonly seen: number | undefined }
);

export interface WorksParts {
  readonly calls: Calls;
  readonly nodes: Nodes;
  readonly certificate: Certificate;
  /** Pieces of this cancellation in flight. */
  readonly inFlightMax: number;
  /** From now on, until it is settled, the end of this task concerns the cancellation. */
  readonly waits: (taskId: string) => void;
  readonly settled: (taskId: string) => void;
  /** Whether there is a certificate, or is to be one: before, nothing is written. */
  readonly opens: () => boolean;
}

/**
 * Does the work of a cancellation's sweeps: many tasks at once, deepest first so that little is remembered, their
 * lines in batches. What fails is tried again, and holds up nothing but what is below it.
 */
export class SweepWorks {
  readonly #ready: Piece[] = [];
  readonly #lines: SettledNode[] = [];
  #inFlight = 0;
  #isWriting = false;
  #failure: { readonly error: unknown } | undefined;
  #progress: (() => void) | undefined;

  constructor(private readonly parts: WorksParts) {}

  add(sweep: Sweep): void {
    this.#takeFrom(sweep);
    this.#ring();
  }

  /** @param seen a revision that the log has shown */
  look(sweep: Sweep, taskId: string, seen?: number): void {
    this.#ready.push({ kind: 'look', sweep, taskId, seen });
    this.#ring();
  }

  /** Works until there is nothing to do, or nothing before a task that is waited for has ended. */
  async run(): Promise<void> {
    this.#failure = undefined;
    for (;;) {
      const began = new Promise<void>((resolve) => {
        this.#progress = resolve;
      });
      if (this.#failure === undefined) this.#begin();
      if (this.#inFlight === 0 && !this.#isWriting) break;
      await began;
    }
    // Nobody was there for whom a certificate is opened.
    this.#lines.length = 0;
    const failure = this.#failed();
    if (failure !== undefined) throw failure.error;
  }

  /** Read anew: it was set while something was awaited. */
  #failed(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  #begin(): void {
    while (this.#inFlight < this.parts.inFlightMax && !this.#isBehind) {
      const piece = this.#ready.pop();
      if (piece === undefined) break;
      if (this.#toldAtOnce(piece)) continue;
      this.#inFlight += 1;
      void this.#follow(this.#perform(piece), () => (this.#inFlight -= 1));
    }
    const least = this.#inFlight === 0 ? 1 : linesMax;
    if (this.#isWriting || this.#lines.length < least || !this.parts.opens()) return;
    this.#isWriting = true;
    void this.#follow(this.#write(), () => (this.#isWriting = false));
  }

  /** A task whose fold is at hand is read without a call: almost every one of a cascade is. */
  #toldAtOnce(piece: Piece): boolean {
    if (piece.kind !== 'sweep' || piece.work.kind !== 'read') return false;
    const view = this.parts.nodes.atHand(piece.taskId);
    if (view !== undefined) this.#tell(piece.sweep, view);
    return view !== undefined;
  }

  get #isBehind(): boolean {
    return this.#lines.length >= linesWaitingMax && this.parts.opens();
  }

  async #follow(work: Promise<void>, done: () => void): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      done();
      this.#ring();
    }
  }

  #ring(): void {
    this.#progress?.();
  }

  async #write(): Promise<void> {
    const { certificate } = this.parts;
    await certificate.open();
    await certificate.settleNodes(this.#lines.splice(0, linesMax));
  }

  async #perform(piece: Piece): Promise<void> {
    const { nodes } = this.parts;
    switch (piece.kind) {
      case 'await':
        return this.#await(piece.sweep, piece.node);
      case 'look':
        return this.#tell(piece.sweep, await nodes.read(piece.taskId, piece.seen));
      case 'sweep':
        return this.#work(piece);
    }
  }

  async #work({ sweep, work, view, failures }: Extract<Piece, { kind: 'sweep' }>): Promise<void> {
    const { nodes, certificate } = this.parts;
    switch (work.kind) {
      case 'read':
        return this.#tell(sweep, await nodes.read(work.taskId));
      case 'places': {
        const before = view ?? (await nodes.read(work.taskId));
        return this.#tell(sweep, await nodes.place(before, work));
      }
      case 'carry': {
        if (certificate.log === undefined) await certificate.open();
        return this.#carry(sweep, work, view, failures);
      }
    }
  }

  /** After a failure the task is looked at again before the next try: it may have become another one. */
  async #carry(
    sweep: Sweep,
    { taskId, arrival }: Extract<SweepWork, { kind: 'carry' }>,
    view: NodeView | undefined,
    failures: number,
  ): Promise<void> {
    const { nodes, calls } = this.parts;
    try {
      this.#tell(sweep, await nodes.carry(arrival, view?.task));
    } catch (error) {
      const subject = { call: 'carry', cancellationId: sweep.scope.cancellationId, taskId };
      await calls.backOff(subject, failures + 1, error);
      this.#tell(sweep, await nodes.read(taskId), failures + 1);
    }
  }

  /** The line first; then the task is read once more, for what happened before its end concerned anybody. */
  async #await(sweep: Sweep, node: WaitingNode): Promise<void> {
    const { certificate, nodes } = this.parts;
    await certificate.open();
    await certificate.await(node);
    this.#tell(sweep, await nodes.read(node.taskId));
  }

  #tell(sweep: Sweep, view: NodeView, failures = 0): void {
    const { taskId } = view;
    sweep.tell(taskId, knownOf(view));
    if (sweep.waiting.has(taskId)) this.parts.waits(taskId);
    this.#takeFrom(sweep, view, failures);
  }

  #takeFrom(sweep: Sweep, view?: NodeView, failures = 0): void {
    for (const work of sweep.take(Number.MAX_SAFE_INTEGER)) {
      const { taskId } = work;
      const isSame = taskId === view?.taskId;
      this.#ready.push({
        kind: 'sweep',
        sweep,
        taskId,
        work,
        failures: isSame ? failures : 0,
        view: isSame ? view : undefined,
      });
    }
    for (const node of sweep.takeAwaited())
      this.#ready.push({ kind: 'await', sweep, taskId: node.taskId, node });
    for (let lines = sweep.takeSettled(); lines.length > 0; lines = sweep.takeSettled()) {
      for (const { taskId } of lines) this.parts.settled(taskId);
      this.#lines.push(...lines);
    }
  }
}
