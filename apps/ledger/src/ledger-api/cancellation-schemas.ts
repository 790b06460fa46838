import type {
  CancellationPlan,
  Certificate,
  CertificateNode,
  PlannedNode,
  TaskCancellation,
} from '#application';
import { nodeOutcomes, plannedOutcomes, workerStates, type A2AState } from '#domain';
import type { ListedCancellation } from '#views';
import {
  a2aState,
  counted,
  flag,
  free,
  instant,
  listOf,
  maybe,
  objectOf,
  oneOf,
  policy,
  requestedBy,
  text,
  whole,
  type Schema,
} from './schema-parts.js';

export interface CancellationAccepted {
  readonly cancellationId: string;
  readonly taskId: string;
  readonly state: A2AState;
}

export interface CancellationNamed {
  readonly cancellationId: string;
}

export interface CancellationsAnswer {
  readonly cancellations: readonly ListedCancellation[];
  readonly nextPageToken: string;
  readonly position: string;
}

const mode = oneOf('immediate', 'cooperative');
const status = oneOf('running', 'settled', 'confirmed');
const outcome = oneOf(...nodeOutcomes, 'waiting');

const link = { ...policy, description: 'Of the link over which the cancellation came.' };
const by = { ...text, description: 'The other cancellation that ended the task.' };

const node = objectOf<CertificateNode>({
  taskId: text,
  parentTaskId: maybe(text),
  depth: whole,
  policy: maybe(link),
  outcome,
  by: maybe(by),
  revision: maybe({ ...whole, description: 'Of the event of the task that settled it.' }),
  reachedAt: instant,
  settledAt: maybe(instant),
  dueAt: maybe(instant),
  worker: oneOf(...workerStates),
  acknowledged: maybe(objectOf<NonNullable<CertificateNode['acknowledged']>>({ by: text, at: instant })),
  late: maybe(flag),
  attempts: whole,
  lastError: maybe(text),
});

const repeats = listOf(objectOf<Certificate['repeats'][number]>({ at: instant, by: requestedBy }));

const certificate = objectOf<Certificate>({
  cancellationId: text,
  rootTaskId: text,
  requestedAt: instant,
  requestedBy,
  mode,
  cascade: flag,
  descendantsOnly: maybe(flag),
  parentEnded: maybe({ ...flag, description: "The ledger's answer to the end of the root (`onEnd`)." }),
  reason: maybe(text),
  metadata: maybe(free),
  status,
  settledAt: maybe(instant),
  confirmedAt: maybe(instant),
  counts: counted(nodeOutcomes),
  workers: counted(workerStates),
  nodes: listOf(node),
  nextNodes: maybe({ ...text, description: 'Goes on with `nodesAfter`; absent on the last page.' }),
  survivors: { ...listOf(text), description: 'Tasks that have not ended.' },
  unconfirmed: { ...listOf(text), description: 'Tasks that were ended and whose worker may still be at it.' },
  repeats,
});

const plan = objectOf<CancellationPlan>({
  counts: counted(plannedOutcomes),
  nodes: listOf(
    objectOf<PlannedNode>({
      taskId: text,
      parentTaskId: maybe(text),
      depth: whole,
      policy: maybe(link),
      planned: oneOf(...plannedOutcomes),
    }),
  ),
  nextNodes: maybe(text),
});

const listed = objectOf<ListedCancellation>({
  cancellationId: text,
  rootTaskId: text,
  requestedAt: instant,
  requestedBy,
  mode,
  reason: maybe(text),
  status,
  settledAt: maybe(instant),
  confirmedAt: maybe(instant),
  descendantsOnly: flag,
  parentEnded: flag,
});

const ofTask = objectOf<TaskCancellation>({
  cancellationId: text,
  rootTaskId: text,
  path: { ...listOf(text), description: 'Task ids from the root to this task.' },
  outcome,
  by: maybe(by),
  policy: maybe(link),
  requestedBy,
  reason: maybe(text),
  metadata: maybe(free),
  at: instant,
  repeats,
});

/** What the routes of cancellations answer. */
export const cancellationSchemas = {
  Certificate: certificate,
  CancellationAccepted: objectOf<CancellationAccepted>({
    cancellationId: text,
    taskId: text,
    state: a2aState,
  }),
  CancellationNamed: objectOf<CancellationNamed>({ cancellationId: text }),
  CancellationPlan: plan,
  CancellationsPage: objectOf<CancellationsAnswer>({
    cancellations: listOf(listed),
    nextPageToken: text,
    position: text,
  }),
  TaskCancellations: listOf(ofTask),
} satisfies Record<string, Schema>;
