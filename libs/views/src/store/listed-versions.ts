import type { ContentParameters } from './statements/content-columns.js';
import type { ListParameters } from './statements/list-conditions.js';
import type { ListedVersion } from './statements/lists.js';
import { contentParameters, noContent, now } from './raw-tasks.js';
import type { PageKey, PageQuery } from './view-database.js';

/** Parameters of page one. */
export interface Selected extends ListParameters, ContentParameters {
  readonly limit: number;
}

/** Parameters of a later page. */
export interface SelectedAfter extends Selected {
  readonly keyAt: string;
  readonly keyId: string;
}

/** One more than the page holds, so that the last page is known. */
export const selectedFirst = (query: PageQuery, selected: ListParameters): Selected => ({
  ...selected,
  ...(query.document === 'result' ? noContent : contentParameters(query.document, query.after?.asOf ?? now)),
  limit: query.size + 1,
});

export const selectedAfter = (
  query: PageQuery,
  selected: ListParameters,
  { asOf, key }: { readonly asOf: string; readonly key: PageKey },
): SelectedAfter => ({ ...selectedFirst(query, selected), asOf, keyAt: key.at, keyId: key.id });

/** As the database orders texts: by the bytes of UTF-8, which is not the order of JavaScript's units. */
const compareTexts = (one: string, other: string): number =>
  one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));

const newestFirst = (one: ListedVersion, other: ListedVersion): number =>
  compareTexts(other.statusAt, one.statusAt) || compareTexts(one.taskId, other.taskId);

/** Versions that still stand and those that were closed since, as one list. */
export const merged = (
  standing: readonly ListedVersion[],
  closed: readonly ListedVersion[],
  limit: number,
): readonly ListedVersion[] =>
  closed.length === 0 ? standing : [...standing, ...closed].sort(newestFirst).slice(0, limit);

/** What of the versions is shown, and the key to go on after. */
export const cutToPage = (
  versions: readonly ListedVersion[],
  size: number,
): { readonly shown: readonly ListedVersion[]; readonly next?: PageKey } => {
  const shown = versions.slice(0, size);
  const last = shown.at(-1);
  const isMore = versions.length > size && last !== undefined;
  return { shown, ...(isMore && { next: { at: last.statusAt, id: last.taskId } }) };
};

/** How a total is found: whole scopes and contexts are counted as tasks come; only other filters count rows. */
export type TotalSource =
  { readonly kind: 'scope' | 'rows' } | { readonly kind: 'context'; readonly contextId: string };

export const totalSourceOf = (selected: ListParameters): TotalSource => {
  const { owner, context_id: contextId } = selected;
  const members = Object.keys(selected).length - (owner === undefined ? 1 : 2);
  if (contextId !== undefined && members === 1) return { kind: 'context', contextId };
  return { kind: members === 0 ? 'scope' : 'rows' };
};
