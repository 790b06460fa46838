/** Whole numbers that look random and are the same for the same seed (mulberry32). */
export const seededIntegers = (seed: number): ((from: number, to: number) => number) => {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return (from, to) => from + Math.floor(fraction() * (to - from + 1));
};
