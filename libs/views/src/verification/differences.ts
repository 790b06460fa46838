type Fields = Readonly<Record<string, unknown>>;

/** Names of the fields that differ. Compared as JSON with ordered members: that is what both sides are stored as. */
export const different = (one: Fields, other: Fields): readonly string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (field) => ordered(one[field]) !== ordered(other[field]),
  );

const ordered = (value: unknown): string | undefined =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
