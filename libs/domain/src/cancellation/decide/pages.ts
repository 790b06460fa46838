/** Tasks that one event of a cancellation speaks of. */
export const tasksOfEventMax = 256;

/** What goes into one event each; none where there is nothing. */
export const pagesOf = <Item>(items: readonly Item[]): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / tasksOfEventMax) }, (_, page) =>
    items.slice(page * tasksOfEventMax, (page + 1) * tasksOfEventMax),
  );
