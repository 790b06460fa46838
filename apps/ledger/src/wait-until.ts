/** Looks until what is found will do, the time is over, or nobody waits any more; answers what was found last. */
export const waitUntil = async <Found>(
  look: () => Promise<Found>,
  willDo: (found: Found) => boolean,
  limits: { readonly timeoutMs: number; readonly everyMs: number; readonly isOver: () => boolean },
): Promise<Found> => {
  const end = performance.now() + limits.timeoutMs;
  let found = await look();
  while (!willDo(found) && !limits.isOver()) {
    const left = end - performance.now();
    if (left <= 0) break;
    await new Promise((resolve) => {
      setTimeout(resolve, Math.min(limits.everyMs, left));
    });
    found = await look();
  }
  return found;
};
