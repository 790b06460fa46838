import { answerToEnd, carriedBy, factOn, type Caller, type CancellationLog, type Task } from '#domain';
import type { Position } from '#event-store';
import { permitted } from '../access/rights.js';
import type { TaskLoader } from '../folds/task-loader.js';
import { parentEndCancellationId } from '../identity/derived-ids.js';
import { withAncestors } from '../reading/ancestors.js';
import { concurrently } from '../reading/concurrently.js';
import type { LateStreams } from '../sides/late-streams.js';
import type { StreamReader } from '../store/stream-reader.js';
import type { StreamNames } from '../streams.js';
import { lineOf, repeatsOf } from './certificate-of.js';
import type { TaskCancellation } from './certificate.js';
import type { CancellationFinder } from './finder.js';
import type { KnownCancellation } from './lines.js';

/** Streams that are looked at at once. */
const looksMax = 32;

/** A cancellation that begins at a task above, or at the task itself. */
interface Beginning {
  readonly cancellationId: string;
  /** Place of its root in the chain; 0 is the task itself. */
  readonly index: number;
}

/** The task, its parent, … up to the root. */
type Chain = readonly Task[];

export interface TaskCancellationsParts {
  readonly loader: TaskLoader;
  readonly late: LateStreams;
  readonly finder: CancellationFinder;
  readonly reader: StreamReader;
  readonly names: StreamNames;
  readonly logId: string;
}

/** Finds every cancellation that has come to a task by walking up to where it may have begun. */
export class TaskCancellations {
  constructor(private readonly parts: TaskCancellationsParts) {}

  async of(caller: Caller, taskId: string): Promise<readonly TaskCancellation[]> {
    const task = permitted(caller, 'read', taskId, (await this.parts.loader.newest(taskId))?.task);
    const chain = await withAncestors(task, this.parts.loader);
    const beginnings = await concurrently([...chain.entries()], looksMax, ([index, above]) =>
      this.#begunAt(above, index),
    );
    const found = await concurrently(beginnings.flat(), looksMax, (begun) => this.#told(chain, begun));
    return found.flatMap((told) => told ?? []).sort(byTime);
  }

  async #begunAt(task: Task, index: number): Promise<readonly Beginning[]> {
    const { late, logId } = this.parts;
    const answered =
      task.end !== undefined && answerToEnd(task) === 'own'
        ? [parentEndCancellationId(logId, task.taskId, task.end.eventId)]
        : [];
    const noted = index === 0 ? [] : ((await late.load(task.taskId))?.notedCancellationIds ?? []);
    return [...requestsAt(task, index > 0), ...noted, ...answered].map((cancellationId) => ({
      cancellationId,
      index,
    }));
  }

  async #told(chain: Chain, begun: Beginning): Promise<TaskCancellation | undefined> {
    const [task] = chain;
    const root = chain[begun.index];
    if (task === undefined || root === undefined) return undefined;
    const known = await this.parts.finder.begunAt(root, begun.cancellationId);
    const told = known && toldOf(known, chain, begun);
    if (told?.outcome !== 'waiting' || known?.log.descendantsOnly !== true) return told;
    return (await this.#isCovered(root, chain[begun.index - 1], begun.cancellationId)) ? told : undefined;
  }

  /** Of the links directly under its root, a cancellation of the descendants covers those that stood before it. */
  async #isCovered(root: Task, child: Task | undefined, cancellationId: string): Promise<boolean> {
    const { late, names } = this.parts;
    if (child === undefined) return false;
    const own = factOn(root.children, child.taskId);
    const link = own ?? factOn((await late.load(root.taskId))?.children ?? [], child.taskId);
    if (link === undefined) return false;
    const stream = own === undefined ? names.late(root.taskId) : names.task(root.taskId);
    const linked = await this.#positionOf(stream, link.revision);
    const opened = await this.#positionOf(names.cancellation(cancellationId), 0);
    return linked !== undefined && opened !== undefined && linked < opened;
  }

  async #positionOf(stream: string, revision: number): Promise<Position | undefined> {
    return (await this.parts.reader.page(stream, revision, 1))[0]?.position;
  }
}

/** Requests that were asked for this task itself; to what is below it only those come that cascade. */
const requestsAt = ({ requests, end }: Task, cascading: boolean): readonly string[] => {
  const ids = new Set(requests.flatMap(({ facts }) => Object.keys(facts)));
  const asked = [...ids].filter((id) => {
    const fact = factOn(requests, id);
    return fact?.root === true && (fact.cascade || !cascading);
  });
  const { cancellationId } = end ?? {};
  const ends = cancellationId !== undefined && end?.root === true && !ids.has(cancellationId);
  return ends && (end.request?.cascade === true || !cascading) ? [...asked, cancellationId] : asked;
};

const toldOf = (
  known: KnownCancellation,
  chain: Chain,
  { cancellationId, index }: Beginning,
): TaskCancellation | undefined => {
  const { log } = known;
  const [task] = chain;
  if (task === undefined) return undefined;
  const line = lineOf(known, task.taskId);
  if (line === undefined && !isOnTheWay(log, chain, index)) return undefined;
  const policy = line?.policy ?? (index > 0 && task.parent ? carriedBy(kindOf(log), task.parent) : undefined);
  return {
    cancellationId,
    rootTaskId: log.rootTaskId,
    path: chain
      .slice(0, index + 1)
      .map(({ taskId }) => taskId)
      .reverse(),
    outcome: line?.outcome ?? 'waiting',
    ...(line?.by !== undefined && { by: line.by }),
    ...(policy !== undefined && { policy }),
    requestedBy: log.request.requestedBy,
    ...(log.reason !== undefined && { reason: log.reason }),
    ...(log.metadata !== undefined && { metadata: log.metadata }),
    at: log.requestedAt,
    repeats: repeatsOf(log),
  };
};

const kindOf = ({ parentEnded }: CancellationLog): { readonly kind: 'parentEnd' | 'request' } => ({
  kind: parentEnded === true ? 'parentEnd' : 'request',
});

/** A cancellation without a line for the task may still come to it, unless something between them shields it. */
const isOnTheWay = (log: CancellationLog, chain: Chain, index: number): boolean =>
  log.status === 'running' &&
  !chain.slice(1, index + 1).some((above, at) => shields(log, above, at + 1 === index));

const shields = (log: CancellationLog, above: Task, isRoot: boolean): boolean => {
  if (factOn(above.requests, log.cancellationId)?.declined !== undefined) return true;
  if (isRoot || above.parent === undefined) return false;
  const endedOtherwise = above.end !== undefined && above.end.cancellationId !== log.cancellationId;
  return carriedBy(kindOf(log), above.parent) === 'abandon' || (log.parentEnded === true && endedOtherwise);
};

const byTime = (one: TaskCancellation, other: TaskCancellation): number =>
  `${one.at} ${one.cancellationId}` < `${other.at} ${other.cancellationId}` ? -1 : 1;
