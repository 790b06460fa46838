import type { CascadeDesk, LedgerLogger } from '#application';
import type { CancellationScope } from '#domain';
import { Sweep } from '../sweep/sweep.js';
import type { Calls } from '../work/calls.js';
import { Certificate } from './certificate.js';
import { Nodes } from './nodes.js';
import { SweepWorks } from './sweep-works.js';

/** What is asked of a cancellation. */
export interface Wanted {
  /** Task ids from the root to a late child: only what it brings is swept. Absent: everything. */
  readonly path?: readonly string[];
  /** Nothing where there is no certificate yet: the child of this path is none for whom one is opened. */
  readonly onlyIfOpen?: boolean;
}

/**
 * `done`: everything that is due stands. `kept`: too, but a task could not be reached, or something is not in order;
 * it is tried again at the next start.
 */
export type CascadeEnd = 'done' | 'kept';

export interface CascadeParts {
  readonly calls: Calls;
  readonly desk: CascadeDesk;
  readonly logger: LedgerLogger;
  readonly inFlightMax: number;
  readonly waits: (taskId: string) => void;
  readonly settled: (taskId: string) => void;
}

/**
 * One cancellation while it is not settled: one sweep of everything, and one for each late link that came later. One
 * that waits holds the tasks it waits for.
 */
export class Cascade {
  readonly #certificate: Certificate;
  readonly #works: SweepWorks;
  readonly #sweeps = new Set<Sweep>();
  /** The sweep of everything, until it is through; then `through`. */
  #whole: Sweep | 'through' | undefined;
  #wanted: Wanted[] = [];
  #hasWork = false;
  #isNoted = false;

  constructor(
    readonly scope: CancellationScope,
    private readonly parts: CascadeParts,
  ) {
    const { calls, desk } = parts;
    this.#certificate = new Certificate(calls, desk, scope);
    this.#works = new SweepWorks({
      ...parts,
      nodes: new Nodes(calls, desk, scope),
      certificate: this.#certificate,
      opens: () => this.#opens,
      settled: (taskId) => this.#settled(taskId),
    });
  }

  /** Something came since {@link work} was called last. */
  get hasWork(): boolean {
    return this.#hasWork;
  }

  want(wanted: Wanted): void {
    this.#wanted.push(wanted);
    this.#hasWork = true;
  }

  /** A task that is waited for ended, or declined. */
  look(taskId: string, seen: number): void {
    for (const sweep of this.#sweeps) this.#works.look(sweep, taskId, seen);
    this.#hasWork = true;
  }

  /**
   * Does what can be done now. Undefined: it waits for a task, or more came meanwhile.
   * @throws StoppedError
   */
  async work(): Promise<CascadeEnd | undefined> {
    this.#hasWork = false;
    await this.#begin();
    await this.#works.run();
    this.#endSweeps();
    // Nobody lived for whom it is opened: the lines are gone, and whoever comes late has everything swept again.
    if (this.#certificate.log === undefined && this.#sweeps.size === 0) this.#whole = undefined;
    if (this.#hasWork || this.#sweeps.size > 0) return undefined;
    return this.#settle();
  }

  /** It will wait: what can be read again is not held. */
  rest(): void {
    for (const sweep of this.#sweeps) sweep.forget();
    this.#certificate.rest();
  }

  /** One sweep has seen the end of a task: others that wait for it go on, though the log has not told it yet. */
  #settled(taskId: string): void {
    let isAwaited = false;
    for (const sweep of this.#sweeps) {
      if (!sweep.waiting.has(taskId)) continue;
      isAwaited = true;
      this.#works.look(sweep, taskId);
    }
    if (!isAwaited) this.parts.settled(taskId);
  }

  get #opens(): boolean {
    return this.#certificate.log !== undefined || [...this.#sweeps].some(({ opens }) => opens);
  }

  /** Turns what is wanted into sweeps. */
  async #begin(): Promise<void> {
    const certificate = this.#certificate;
    if (certificate.log === undefined) await certificate.load();
    if (this.scope.kind === 'descendants' && !this.#isNoted) await certificate.note();
    this.#isNoted = true;
    const wanted = this.#wanted.splice(0);
    if (wanted.some((one) => this.#needsWhole(one))) this.#sweepAll();
    else for (const { path } of wanted) if (path !== undefined && this.#mayFollow()) this.#sweep(path);
  }

  #needsWhole({ path, onlyIfOpen }: Wanted): boolean {
    if (this.#whole !== undefined) return false;
    const { log } = this.#certificate;
    if (log === undefined) return onlyIfOpen !== true;
    if (path !== undefined) return !log.wasSettled;
    return log.status === 'running' || log.counts.unreachable > 0;
  }

  /** A sweep of everything that is under way may have passed the parent already. */
  #mayFollow(): boolean {
    return this.#certificate.log !== undefined || this.#whole !== undefined;
  }

  #sweepAll(): void {
    this.#whole = this.#sweep([]);
  }

  #sweep(path: readonly string[]): Sweep {
    const sweep = new Sweep(this.scope, path);
    this.#sweeps.add(sweep);
    this.#works.add(sweep);
    return sweep;
  }

  /** Those that wait for nobody are through; and those that wait where the sweep of everything does: it goes on there. */
  #endSweeps(): void {
    const whole = this.#whole === 'through' ? undefined : this.#whole;
    for (const sweep of this.#sweeps) {
      const waits = [...sweep.waiting.keys()];
      const isCovered = sweep !== whole && waits.every((taskId) => whole?.waiting.has(taskId) === true);
      if (waits.length === 0 || isCovered) this.#sweeps.delete(sweep);
    }
    if (whole !== undefined && !this.#sweeps.has(whole)) this.#whole = 'through';
  }

  async #settle(): Promise<CascadeEnd | undefined> {
    const certificate = this.#certificate;
    if (certificate.log === undefined) return 'done';
    if (certificate.log.status === 'running')
      await certificate.record({ kind: 'settle', whole: this.#whole === 'through' });
    const { status, counts } = certificate.log;
    if (status !== 'running') return counts.unreachable > 0 ? 'kept' : 'done';
    return this.#sweepOnceMore();
  }

  /** Something is open that no late link brought: the sweep of everything finds it. */
  #sweepOnceMore(): CascadeEnd | undefined {
    const { cancellationId } = this.scope;
    if (this.#whole !== undefined) {
      this.parts.logger.error({ cancellationId }, 'a certificate does not settle');
      return 'kept';
    }
    this.#sweepAll();
    this.#hasWork = true;
    return undefined;
  }
}
