import { invalid } from '#domain';

/** Nodes of a certificate, or of a plan, in one answer. */
export const nodesPageMax = 1_000;

/**
 * One page of nodes that are in their order already.
 * @throws DomainError `invalid-request`: `nodesAfter` names none of them
 */
export const nodesPage = <Node>(
  nodes: readonly Node[],
  idOf: (node: Node) => string,
  nodesAfter: string | undefined,
): { readonly nodes: readonly Node[]; readonly nextNodes?: string } => {
  const before = nodesAfter === undefined ? -1 : nodes.findIndex((node) => idOf(node) === nodesAfter);
  if (nodesAfter !== undefined && before < 0)
    throw invalid('nodesAfter', 'names no node of this cancellation');
  const page = nodes.slice(before + 1, before + 1 + nodesPageMax);
  const isLast = before + 1 + page.length >= nodes.length;
  const last = page.at(-1);
  return { nodes: page, ...(!isLast && last !== undefined && { nextNodes: idOf(last) }) };
};
