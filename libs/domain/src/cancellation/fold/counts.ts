/** How many there are of each word. */
export type Counts<Word extends string> = Record<Word, number>;

export const countOf = <Word extends string>(words: readonly Word[]): Readonly<Counts<Word>> =>
  Object.fromEntries(words.map((word) => [word, 0])) as Counts<Word>;

/** One member goes from one word to another; `from` undefined: it is new. */
export const move = <Word extends string>(counts: Counts<Word>, from: Word | undefined, to: Word): void => {
  if (from !== undefined) counts[from] -= 1;
  counts[to] += 1;
};
