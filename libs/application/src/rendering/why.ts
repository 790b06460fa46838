import type { WhyStep } from '../application.js';
import { mermaidLabel } from './mermaid.js';
import { line, plainLine } from './terminal.js';

const whoOf = ({ principal, via }: WhyStep): string => `${plainLine(principal)} via ${via}`;

/** The chain of causes for a terminal, from the last state down to the first request. */
export const whyText = (steps: readonly WhyStep[]): string => {
  const lines = steps.flatMap((step, index) => {
    const { stream, revision, type, at, reason } = step;
    const arrow = index === 0 ? '' : '<- ';
    return [
      line(`${arrow}${type}  ${at}  ${whoOf(step)}`),
      line(`     ${plainLine(stream, 100)} #${revision}`),
      ...(reason === undefined ? [] : [line(`     reason: ${plainLine(reason, 100)}`)]),
    ];
  });
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
};

/** The chain of causes as a Mermaid flow chart, from the first request down to the last state. */
export const whyMermaid = (steps: readonly WhyStep[]): string => {
  const boxes = steps.map((step, index) => {
    const { stream, revision, type, at, reason } = step;
    const lines = [type, `${stream} ${revision}`, at, whoOf(step), ...(reason === undefined ? [] : [reason])];
    return `  s${index}[${mermaidLabel(lines.map((text) => plainLine(text, 100)))}]`;
  });
  const arrows = steps.slice(1).map((_step, index) => `  s${index + 1} --> s${index}`);
  return `${['flowchart TD', ...boxes, ...arrows].join('\n')}\n`;
};
