import type { JsonObject } from '#domain';
import type { LedgerApi } from './ledger-api.js';
import { eventually } from './waiting.js';

/** Answers about cancellations; only what tests look at is typed. */
export interface RequestedBy {
  readonly principal: string;
  readonly role: string;
  readonly via: string;
  readonly requestId?: string;
}
export interface CertificateNode {
  readonly taskId: string;
  readonly parentTaskId?: string;
  readonly depth: number;
  readonly policy?: string;
  readonly outcome: string;
  readonly by?: string;
  readonly revision?: number;
  readonly reachedAt: string;
  readonly settledAt?: string;
  readonly dueAt?: string;
  readonly worker: string;
  readonly acknowledged?: { readonly by: string; readonly at: string };
  readonly late?: true;
  readonly attempts: number;
  readonly lastError?: string;
}
export interface Certificate {
  readonly cancellationId: string;
  readonly rootTaskId: string;
  readonly status: string;
  readonly requestedAt: string;
  readonly requestedBy: RequestedBy;
  readonly mode: string;
  readonly cascade: boolean;
  readonly descendantsOnly?: true;
  readonly parentEnded?: true;
  readonly reason?: string;
  readonly metadata?: JsonObject;
  readonly settledAt?: string;
  readonly confirmedAt?: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly workers: Readonly<Record<string, number>>;
  readonly nodes: readonly CertificateNode[];
  readonly nextNodes?: string;
  readonly survivors: readonly string[];
  readonly unconfirmed: readonly string[];
  readonly repeats: readonly { readonly at: string; readonly by: RequestedBy }[];
}
export interface PlannedNode {
  readonly taskId: string;
  readonly parentTaskId?: string;
  readonly depth: number;
  readonly policy?: string;
  readonly planned: string;
}
export interface CancellationPlan {
  readonly counts: Readonly<Record<string, number>>;
  readonly nodes: readonly PlannedNode[];
  readonly nextNodes?: string;
}
export interface TaskCancellation {
  readonly cancellationId: string;
  readonly rootTaskId: string;
  readonly path: readonly string[];
  readonly outcome: string;
  readonly policy?: string;
  readonly requestedBy: RequestedBy;
  readonly reason?: string;
  readonly metadata?: JsonObject;
  readonly at: string;
  readonly repeats: Certificate['repeats'];
}
export interface ListedCancellations {
  readonly cancellations: readonly {
    readonly cancellationId: string;
    readonly rootTaskId: string;
    readonly status: string;
    readonly requestedBy: RequestedBy;
  }[];
  readonly nextPageToken: string;
  readonly position: string;
}

/** A cascade that has not settled by then hangs; generous for a busy machine. */
const settleLimitMs = 180_000;
const oneWaitMs = 10_000;

/** The certificate with the nodes of all its pages. Counts are complete on every page. */
export const wholeCertificate = async (api: LedgerApi, cancellationId: string): Promise<Certificate> => {
  const first = (await api.certificate(cancellationId)).body;
  const nodes = [...first.nodes];
  for (let next = first.nextNodes; next !== undefined;) {
    const page = (await api.certificate(cancellationId, `nodesAfter=${encodeURIComponent(next)}`)).body;
    if (page.nodes.length === 0) throw new Error('a page that was announced is empty');
    nodes.push(...page.nodes);
    next = page.nextNodes;
  }
  const { nextNodes: _, ...rest } = first;
  return { ...rest, nodes };
};

/** Waits as the API lets its callers wait, and answers the whole certificate. */
export const settled = async (
  api: LedgerApi,
  cancellationId: string,
  until: 'settled' | 'confirmed' = 'settled',
): Promise<Certificate> => {
  const done = until === 'settled' ? ['settled', 'confirmed'] : ['confirmed'];
  await eventually(
    `cancellation ${cancellationId} ${until}`,
    async () => {
      const query = `wait=${until}&timeoutMs=${String(oneWaitMs)}`;
      const { status } = (await api.certificate(cancellationId, query)).body;
      return done.includes(status) ? status : undefined;
    },
    settleLimitMs,
  );
  return wholeCertificate(api, cancellationId);
};

/** The whole certificate once so many workers are in each state: what is known of them is noted a moment later. */
export const whenWorkers = async (
  api: LedgerApi,
  cancellationId: string,
  expected: Readonly<Record<string, number>>,
): Promise<Certificate> => {
  let seen = '';
  await eventually(`workers ${JSON.stringify(expected)} of ${cancellationId}`, async () => {
    const { workers } = (await api.certificate(cancellationId)).body;
    seen = JSON.stringify(workers);
    return Object.entries(expected).every(([state, count]) => workers[state] === count) ? true : undefined;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; last seen ${seen}`);
  });
  return wholeCertificate(api, cancellationId);
};

/** The dry run with the nodes of all its pages. */
export const wholePlan = async (
  api: LedgerApi,
  taskId: string,
  body: JsonObject = {},
): Promise<CancellationPlan> => {
  const { nextNodes, ...first } = (await api.planCancellation(taskId, body)).body;
  const nodes = [...first.nodes];
  for (let next = nextNodes; next !== undefined;) {
    const page = (await api.planCancellation(taskId, body, next)).body;
    nodes.push(...page.nodes);
    next = page.nextNodes;
  }
  return { ...first, nodes };
};

/** What stays the same however often the cascade was interrupted: all but times and attempts. */
export const withoutTimes = (certificate: Certificate): unknown => {
  const { requestedAt: _r, settledAt: _s, confirmedAt: _c, nodes, repeats, ...rest } = certificate;
  return {
    ...rest,
    repeats: repeats.map(({ by }) => by),
    nodes: nodes.map(
      ({ reachedAt: _reached, settledAt: _at, attempts: _attempts, acknowledged, ...node }) => ({
        ...node,
        acknowledgedBy: acknowledged?.by,
      }),
    ),
  };
};

/** The one line of a task. */
export const lineOf = ({ nodes }: Certificate, taskId: string): CertificateNode => {
  const [line, ...more] = nodes.filter((node) => node.taskId === taskId);
  if (line === undefined || more.length > 0)
    throw new Error(`expected one line of ${taskId}, found ${String(more.length + (line ? 1 : 0))}`);
  return line;
};
