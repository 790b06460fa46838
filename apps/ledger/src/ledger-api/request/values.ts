export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isText =
  (longest: number) =>
  (value: unknown): boolean =>
    typeof value === 'string' && value.length <= longest;
