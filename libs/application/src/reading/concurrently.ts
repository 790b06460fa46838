/** Runs a call for each item, at most `limit` at once; the answers stand in the order of the items. */
export const concurrently = async <Item, Result>(
  items: readonly Item[],
  limit: number,
  call: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const results: Result[] = [];
  const rest = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of rest) results[index] = await call(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
};
