import type { CascadeDesk } from '#application';
import {
  ancestorToAsk,
  lateCandidates,
  rootRevisionOf,
  type Ancestor,
  type CancellationScope,
  type ChildLink,
  type LateCandidate,
  type Task,
} from '#domain';
import type { RecordedEvent } from '#event-store';
import type { CascadeEnd } from '../cascades/cascade.js';
import type { Cascades } from '../cascades/cascades.js';
import type { Calls } from '../work/calls.js';
import { Slots } from '../work/slots.js';
import type { Beginnings } from './beginnings.js';

/** Late links whose ancestors are held in memory at once. */
const climbsAtOnce = 16;

export interface LateLinksParts {
  readonly calls: Calls;
  readonly desk: CascadeDesk;
  readonly beginnings: Beginnings;
  readonly cascades: Cascades;
}

interface LateLink {
  readonly parentTaskId: string;
  readonly child: ChildLink;
  /** Of the link, beside the parent. */
  readonly revision: number;
}

/** Brings a late link to the cancellations that passed its parent before it came. */
export class LateLinks {
  readonly #climbs = new Slots(climbsAtOnce);

  constructor(private readonly parts: LateLinksParts) {}

  /** Resolves when they are found; the answers, when their certificates are settled again. */
  async follow(recorded: RecordedEvent): Promise<readonly Promise<CascadeEnd>[]> {
    const { decoded } = this.parts.beginnings.found(recorded);
    if (decoded.kind !== 'late' || decoded.event.type !== 'LateChildLinked') return [];
    const { child } = decoded.event.data;
    const link = { parentTaskId: decoded.taskId, child, revision: recorded.revision };
    return this.#climbs.run(() => this.#join(link));
  }

  async #join(link: LateLink): Promise<readonly Promise<CascadeEnd>[]> {
    const chain = await this.#climb(link);
    const joined = lateCandidates(chain, link.child).map((candidate) => this.#begin(chain, candidate));
    const ends = (await Promise.all(joined)).map(({ end }) => end);
    // What has passed a task that cannot be read, nobody can tell before a start that can read it.
    return chain.some(({ task }) => task.unreadable !== undefined)
      ? [...ends, Promise.resolve('kept')]
      : ends;
  }

  /** The parent, its parent and so on, as far as a cancellation can have come down. */
  async #climb({ parentTaskId, revision }: LateLink): Promise<readonly Ancestor[]> {
    const { calls, desk } = this.parts;
    const chain: Ancestor[] = [];
    // An owning link runs from the older to the younger task; a log that breaks this ends here.
    const climbed = new Set<string>();
    for (let at: string | undefined = parentTaskId; at !== undefined && !climbed.has(at);) {
      const taskId: string = at;
      climbed.add(taskId);
      const seen = taskId === parentTaskId ? revision : undefined;
      const [task, late] = await Promise.all([
        calls.ask({ call: 'read', taskId }, () => desk.task(taskId)),
        calls.ask({ call: 'read beside', taskId }, () => desk.late(taskId, seen)),
      ]);
      if (task === undefined) break;
      chain.push({ task: withoutBulk(task), late });
      at = ancestorToAsk(task);
    }
    return chain;
  }

  /** An object, for a promise in a promise would be waited for. */
  async #begin(
    chain: readonly Ancestor[],
    candidate: LateCandidate,
  ): Promise<{ readonly end: Promise<CascadeEnd> }> {
    const root = chain.find(({ task }) => task.taskId === candidate.rootTaskId)?.task;
    const scope = root && (await this.#scopeOf(root, candidate));
    if (scope === undefined) return { end: Promise.resolve('done') };
    const onlyIfOpen = candidate.kind === 'parentEnd' && !candidate.mayOpen;
    return { end: this.parts.cascades.join(scope, { path: candidate.path, onlyIfOpen }) };
  }

  async #scopeOf(root: Task, candidate: LateCandidate): Promise<CancellationScope | undefined> {
    const { beginnings, desk } = this.parts;
    switch (candidate.kind) {
      case 'request': {
        const revision = rootRevisionOf(root, candidate.cancellationId);
        return revision === undefined ? undefined : beginnings.requestAt(root.taskId, revision);
      }
      case 'descendants':
        return beginnings.descendantsOf(candidate.cancellationId);
      case 'parentEnd':
        return beginnings.answerTo(root, desk.parentEndId(root.taskId, candidate.endEventId));
    }
  }
}

/** What a climb asks of a task is little, and a chain may be long. */
const withoutBulk = (task: Task): Task => ({ ...task, children: [], artifacts: [], commands: [] });
