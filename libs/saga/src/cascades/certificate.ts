import type { CascadeDesk, CertificateRecord } from '#application';
import {
  nodeOf,
  type CancellationLog,
  type CancellationScope,
  type SettledNode,
  type WaitingNode,
} from '#domain';
import { isLineDue } from '../sweep/exhaustive.js';
import type { Calls } from '../work/calls.js';

/** A certificate with more lines than this is read again after a rest. */
const restingLinesMax = 256;

/** The stream of one cancellation as the saga writes it. */
export class Certificate {
  #log: CancellationLog | undefined;
  #opening: Promise<void> | undefined;

  constructor(
    private readonly calls: Calls,
    private readonly desk: CascadeDesk,
    private readonly scope: CancellationScope,
  ) {}

  /** As of the last call. Undefined: there is none yet. */
  get log(): CancellationLog | undefined {
    return this.#log;
  }

  async load(): Promise<void> {
    const { cancellationId } = this.scope;
    this.#see(await this.calls.ask(this.#subject('load'), () => this.desk.cancellation(cancellationId)));
  }

  /** Holds no long certificate while nothing is written to it. */
  rest(): void {
    if ((this.#log?.nodeCount ?? 0) > restingLinesMax) this.#log = undefined;
  }

  /** The first fact of a cancellation of the descendants is there already: it is noted beside the root. */
  async note(): Promise<void> {
    await this.calls.ask(this.#subject('note'), () => this.desk.note(this.scope));
  }

  /** Nothing of a cancellation is written before this. */
  open(): Promise<void> {
    if (this.#log !== undefined) return Promise.resolve();
    this.#opening ??= this.calls
      .ask(this.#subject('open'), () => this.desk.open(this.scope))
      .then((log) => this.#see(log));
    return this.#opening;
  }

  /** At most `linesMax` of them. */
  async settleNodes(lines: readonly SettledNode[]): Promise<void> {
    const log = this.#log;
    const nodes = log === undefined ? lines : lines.filter((line) => isLineDue(log, line));
    if (nodes.length > 0) await this.record({ kind: 'settle-nodes', nodes });
  }

  async await(node: WaitingNode): Promise<void> {
    if (this.#log === undefined || nodeOf(this.#log, node.taskId) === undefined)
      await this.record({ kind: 'await', node });
  }

  async record(record: CertificateRecord): Promise<void> {
    this.#see(await this.calls.ask(this.#subject(record.kind), () => this.desk.record(this.scope, record)));
  }

  #see(log: CancellationLog | undefined): void {
    if (log !== undefined && log.revision >= (this.#log?.revision ?? -1)) this.#log = log;
  }

  #subject(call: string) {
    return { call, cancellationId: this.scope.cancellationId };
  }
}
