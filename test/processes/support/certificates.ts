import type { Certificate, CertificateNode } from '#application';
import type { LedgerApi } from '../../support/index.js';

/** A liveness limit for a busy machine. */
const settleLimitMs = 120_000;
const waitOfOneCallMs = 10_000;

/** A certificate with all of its nodes. */
export type WholeCertificate = Omit<Certificate, 'nextNodes'>;

const page = async (api: LedgerApi, cancellationId: string, query: string): Promise<Certificate> =>
  (await api.get(`/cancellations/${cancellationId}?${query}`)).body as Certificate;

/** Waits, asks for nothing else, and reads every page. */
export const settledCertificate = async (
  api: LedgerApi,
  cancellationId: string,
): Promise<WholeCertificate> => {
  const wait = `wait=settled&timeoutMs=${String(waitOfOneCallMs)}`;
  const end = Date.now() + settleLimitMs;
  while ((await page(api, cancellationId, wait)).status === 'running')
    if (Date.now() > end) throw new Error(`cancellation ${cancellationId} does not settle`);
  return wholeCertificate(api, cancellationId);
};

export const wholeCertificate = async (api: LedgerApi, cancellationId: string): Promise<WholeCertificate> => {
  const { nextNodes, ...first } = await page(api, cancellationId, '');
  const nodes: CertificateNode[] = [...first.nodes];
  for (let after = nextNodes; after !== undefined;) {
    const more = await page(api, cancellationId, `nodesAfter=${encodeURIComponent(after)}`);
    nodes.push(...more.nodes);
    after = more.nextNodes;
  }
  return { ...first, nodes };
};
