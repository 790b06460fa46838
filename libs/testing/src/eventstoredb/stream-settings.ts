/** The revision of the record that ends a stream for ever. */
export const tombstoneRevision = Number.MAX_SAFE_INTEGER;

/** What the metadata of a stream says about which of its events still show. */
export interface StreamSettings {
  readonly maximumCount: number;
  /** Events of a lower revision are gone. */
  readonly truncateBefore: number;
}

export const noSettings: StreamSettings = { maximumCount: Infinity, truncateBefore: 0 };

/** The biggest revision there is, as the server writes it to delete a stream softly. */
const everything = '9223372036854775807';

const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

/** From the body of a `$metadata` event; what is not understood counts as not said. */
export const parseStreamSettings = (data: Uint8Array): StreamSettings => {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(data));
    if (typeof parsed !== 'object' || parsed === null) return noSettings;
    const { $maxCount, $tb } = parsed as { $maxCount?: unknown; $tb?: unknown };
    return {
      maximumCount: numberOr($maxCount, noSettings.maximumCount),
      truncateBefore: numberOr($tb, noSettings.truncateBefore),
    };
  } catch {
    return noSettings;
  }
};

/** The body that deletes a stream softly. */
export const softDeletion = (): Uint8Array => new TextEncoder().encode(`{"$tb":${everything}}`);

/** The body with which a stream begins again at a revision after it was deleted softly. */
export const startingAt = (revision: number): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ $tb: revision }));

/** The first revision that shows, of a stream whose newest is given. */
export const firstShown = (settings: StreamSettings, newest: number): number => {
  if (newest === tombstoneRevision) return newest;
  return Math.max(settings.truncateBefore, newest + 1 - settings.maximumCount, 0);
};
