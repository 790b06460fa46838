import type { Certificate, CertificateNode } from '../cancellations/certificate.js';
import { certificateTree, type TreeNode } from './certificate-tree.js';
import { mermaidLabel } from './mermaid.js';
import { columnsMax, line, plainLine } from './terminal.js';

/** Levels that are indented; deeper ones say their depth instead. */
const indentedMax = 20;
/** Lines of names; who needs them all reads the certificate itself. */
const namesLinesMax = 10;

const said = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';

const scopeOf = ({ cascade, descendantsOnly, parentEnded }: Certificate): string => {
  if (descendantsOnly) return 'descendants only';
  if (parentEnded) return 'the root ended, its children end with it';
  return cascade ? 'with everything below' : 'this task alone';
};

/** What is known of a node, in a few words. */
const factsOf = (node: CertificateNode): readonly string[] => {
  const { outcome, by, worker, acknowledged, late, policy, dueAt, attempts, lastError } = node;
  return [
    by === undefined ? outcome : `${outcome} by ${plainLine(by)}`,
    ...(worker === 'none'
      ? []
      : [`worker ${worker}${acknowledged ? ` (${plainLine(acknowledged.by)})` : ''}`]),
    ...(policy === undefined || policy === 'cascade' ? [] : [policy]),
    ...(late ? ['late'] : []),
    ...(dueAt === undefined ? [] : [`due ${dueAt}`]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(lastError === undefined ? [] : [plainLine(lastError)]),
  ];
};

const treeLine = ({ node, level }: TreeNode, survives: boolean): string => {
  const depth = level > indentedMax ? `(depth ${node.depth}) ` : '';
  const indent = '  '.repeat(Math.min(level, indentedMax));
  const survivor = survives ? ' [survivor]' : '';
  return line(`  ${indent}${depth}${plainLine(node.taskId)}  ${factsOf(node).join(', ')}${survivor}`);
};

const headLines = (certificate: Certificate): readonly string[] => {
  const { cancellationId, rootTaskId, status, settledAt, confirmedAt, mode, reason, repeats } = certificate;
  const { principal, role, via } = certificate.requestedBy;
  const standing = [
    status,
    ...(settledAt === undefined ? [] : [`settled ${settledAt}`]),
    ...(confirmedAt === undefined ? [] : [`confirmed ${confirmedAt}`]),
  ];
  return [
    `cancellation ${cancellationId}`,
    `status       ${standing.join(', ')}`,
    `root         ${plainLine(rootTaskId)}`,
    `requested    ${certificate.requestedAt} by ${plainLine(principal)} (${role}, ${via})`,
    ...(reason === undefined ? [] : [`reason       ${plainLine(reason, 100)}`]),
    `scope        ${mode}, ${scopeOf(certificate)}`,
    `outcomes     ${said(certificate.counts)}`,
    `workers      ${said(certificate.workers)}`,
    ...(repeats.length === 0 ? [] : [`repeats      ${repeats.length}`]),
  ];
};

/** Names on as many lines as they need, up to a few. */
const namesLines = (title: string, names: readonly string[]): readonly string[] => {
  if (names.length === 0) return [];
  const lines = [`${title}:`];
  let shown = 0;
  for (const name of names) {
    const last = lines.at(-1) ?? '';
    const word = ` ${plainLine(name)}`;
    if (last.length + word.length <= columnsMax) lines[lines.length - 1] = last + word;
    else if (lines.length < namesLinesMax) lines.push(` ${word}`);
    else return [...lines, `  … and ${names.length - shown} more`];
    shown += 1;
  }
  return lines;
};

/** A certificate for a terminal of 80 to 120 columns: its head, and its nodes as an indented tree. */
export const certificateText = (certificate: Certificate): string => {
  const surviving = new Set(certificate.survivors);
  const tree = certificateTree(certificate);
  const lines = [
    ...headLines(certificate).map(line),
    ...tree.map((node) => treeLine(node, surviving.has(node.node.taskId))),
    ...(certificate.nextNodes === undefined ? [] : [`  … more after ${plainLine(certificate.nextNodes)}`]),
    ...namesLines('survivors', certificate.survivors),
    ...namesLines('unconfirmed', certificate.unconfirmed),
  ];
  return `${lines.join('\n')}\n`;
};

/** A certificate as a Mermaid flow chart: a box for each node, an arrow for each link that carried it. */
export const certificateMermaid = (certificate: Certificate): string => {
  const tree = certificateTree(certificate);
  const names = new Map(tree.map(({ node }, index) => [node.taskId, `n${index}`]));
  const surviving = new Set(certificate.survivors);
  const boxes = tree.map(({ node }) => {
    const lines = [node.taskId, ...factsOf(node), ...(surviving.has(node.taskId) ? ['survivor'] : [])];
    return `  ${names.get(node.taskId) ?? ''}[${mermaidLabel(lines)}]:::${node.outcome}`;
  });
  const arrows = tree.flatMap(({ node }) => {
    const from = node.parentTaskId === undefined ? undefined : names.get(node.parentTaskId);
    if (from === undefined) return [];
    const arrow = node.late ? '-.->' : '-->';
    return [
      `  ${from} ${arrow}|${mermaidLabel([node.policy ?? 'cascade'])}| ${names.get(node.taskId) ?? ''}`,
    ];
  });
  const classes = [
    '  classDef canceled fill:#f8d7da,stroke:#a33',
    '  classDef forced fill:#f8d7da,stroke:#a33,stroke-width:3px',
    '  classDef waiting fill:#fff3cd,stroke:#a80',
    '  classDef abandoned stroke-dasharray:4',
    '  classDef refused stroke-dasharray:4',
  ];
  return `${['flowchart TD', ...boxes, ...arrows, ...classes].join('\n')}\n`;
};
