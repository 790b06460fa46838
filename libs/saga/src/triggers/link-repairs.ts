import type { CascadeDesk } from '#application';
import { DomainError } from '#domain';
import type { RecordedEvent } from '#event-store';
import type { Calls } from '../work/calls.js';
import { StoppedError } from '../work/stopped-error.js';
import { decoded } from './meaning.js';

/** How a link that was expected came to its end. */
type Sight = 'seen' | 'missing' | 'stopped';

/**
 * Links that a child's stream has decided and that its parent's does not tell yet. Almost always whoever made the
 * child announces it a moment later; where he is gone, the saga does.
 */
export class LinkRepairs {
  readonly #expected = new Map<string, (sight: Sight) => void>();

  constructor(
    private readonly parts: {
      readonly calls: Calls;
      readonly desk: CascadeDesk;
      /** Milliseconds that the announcement is waited for. */
      readonly patienceMs: number;
    },
  ) {}

  /** An event of the log may be an announcement. */
  see(recorded: RecordedEvent): void {
    const { type } = recorded;
    if (this.#expected.size === 0 || (type !== 'ChildLinked' && type !== 'LateChildLinked')) return;
    const read = decoded(recorded, this.parts.desk.names);
    if (read.kind !== 'task' && read.kind !== 'late') return;
    const { event } = read;
    if (event.type === 'ChildLinked' || event.type === 'LateChildLinked')
      this.#expected.get(event.data.child.taskId)?.('seen');
  }

  /**
   * False where the announcement cannot be made before the next start: one of the two tasks cannot be read.
   * @param recorded the child's own event that names its parent
   */
  async repair(recorded: RecordedEvent): Promise<boolean> {
    const { calls, desk } = this.parts;
    const taskId = desk.names.taskIdOf(recorded.stream);
    if (taskId === undefined || (await this.#await(taskId)) === 'seen') return true;
    return calls.ask({ call: 'announce', taskId }, () => this.#announce(taskId, recorded));
  }

  async #announce(taskId: string, { revision, id }: RecordedEvent): Promise<boolean> {
    const { desk } = this.parts;
    const child = await desk.task(taskId, revision);
    if (child?.parent === undefined) return child?.unreadable === undefined;
    try {
      await desk.announce(child, id);
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'task-unreadable') return false;
      throw error;
    }
  }

  /** Whoever waits ends. */
  stop(): void {
    for (const tell of [...this.#expected.values()]) tell('stopped');
  }

  async #await(taskId: string): Promise<Sight> {
    if (this.parts.calls.stopped) throw new StoppedError();
    const sight = await this.#sightOf(taskId);
    if (sight === 'stopped' || this.parts.calls.stopped) throw new StoppedError();
    return sight;
  }

  /** A child that is expected twice, for two events name its parent, is one that both hear of. */
  #sightOf(taskId: string): Promise<Sight> {
    const before = this.#expected.get(taskId);
    return new Promise<Sight>((resolve) => {
      const tell = (sight: Sight): void => {
        clearTimeout(timer);
        if (this.#expected.get(taskId) === tell) this.#expected.delete(taskId);
        if (sight !== 'missing') before?.(sight);
        resolve(sight);
      };
      const timer = setTimeout(() => tell('missing'), this.parts.patienceMs);
      this.#expected.set(taskId, tell);
    });
  }
}
