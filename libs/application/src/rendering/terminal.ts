/** Columns of a terminal that a line is cut for. */
export const columnsMax = 120;
/** Characters of a text somebody else wrote that a line shows. */
const quotedMax = 60;

const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Somebody else's text on one line of a terminal: without control characters, cut to a length. */
export const plainLine = (text: string, limit = quotedMax): string => {
  const shown = Array.from(text.replace(controls, '\uFFFD'));
  return shown.length <= limit ? shown.join('') : `${shown.slice(0, limit - 1).join('')}…`;
};

/** Cut to the width of the terminal. */
export const line = (text: string): string => plainLine(text, columnsMax);
