// What people chose stands in quotes, with entities for what Mermaid would read as its own (mermaid.js.org,
// "Entity codes to escape characters"). Ids of nodes are numbers of ours: a task id may be any text.

const entity = (character: string): string => `#${character.codePointAt(0) ?? 0};`;

/** Text that stands in a label as it is. */
export const mermaidText = (text: string): string => text.replace(/[^\p{L}\p{N} .,:_/-]/gu, entity);

/** A label of several lines. */
export const mermaidLabel = (lines: readonly string[]): string => `"${lines.map(mermaidText).join('<br/>')}"`;
