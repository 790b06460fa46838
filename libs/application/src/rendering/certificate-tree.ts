import type { Certificate, CertificateNode } from '../cancellations/certificate.js';

/** A node of a certificate in its tree, in the order of a walk from the top. */
export interface TreeNode {
  readonly node: CertificateNode;
  /** Steps below the topmost node that is shown. */
  readonly level: number;
}

/** Parents before their children; a node whose parent is on another page stands at the top. */
export const certificateTree = ({ nodes }: Pick<Certificate, 'nodes'>): readonly TreeNode[] => {
  const shown = new Set(nodes.map(({ taskId }) => taskId));
  const below = new Map<string, CertificateNode[]>();
  const tops: CertificateNode[] = [];
  for (const node of nodes) {
    const { parentTaskId } = node;
    const siblings = parentTaskId === undefined ? undefined : below.get(parentTaskId);
    if (parentTaskId === undefined || !shown.has(parentTaskId)) tops.push(node);
    else if (siblings === undefined) below.set(parentTaskId, [node]);
    else siblings.push(node);
  }
  const tree: TreeNode[] = [];
  const stack: TreeNode[] = tops.reverse().map((node) => ({ node, level: 0 }));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, level } = next;
    tree.push(next);
    const children = below.get(node.taskId) ?? [];
    stack.push(...children.reverse().map((child) => ({ node: child, level: level + 1 })));
  }
  return tree;
};
