import type { LedgerApi, ListedRows } from './ledger-api.js';
import { eventually } from './waiting.js';

interface ViewStatus {
  readonly name: string;
  readonly position: string;
  readonly lag: number;
  readonly setAside: number | readonly unknown[];
  readonly rebuild?: unknown;
}

/** The views as an operator sees them. */
export const viewsOf = async (operator: LedgerApi): Promise<readonly ViewStatus[]> => {
  const body = (await operator.get('/views')).body as
    readonly ViewStatus[] | { views: readonly ViewStatus[] };
  return 'views' in body ? body.views : body;
};

/** Rebuilds every view and waits until each has swapped. */
export const rebuildAll = async (operator: LedgerApi, limitMs = 30_000): Promise<void> => {
  for (const { name } of await viewsOf(operator)) await rebuild(operator, name, limitMs);
};

export const rebuild = async (operator: LedgerApi, name: string, limitMs = 30_000): Promise<void> => {
  const answer = await operator.post(`/views/${name}/rebuild`);
  if (answer.status >= 400) throw new Error(`rebuild refused: ${answer.text}`);
  await rebuilt(operator, name, limitMs);
};

export const rebuilt = async (operator: LedgerApi, name: string, limitMs = 30_000): Promise<void> => {
  await eventually(
    `rebuild of ${name}`,
    async () => {
      const view = (await viewsOf(operator)).find((candidate) => candidate.name === name);
      return view !== undefined && view.rebuild === undefined ? view : undefined;
    },
    limitMs,
  );
};

/** What `verify` found wrong, over all views. */
export const mismatches = async (operator: LedgerApi): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  for (const { name } of await viewsOf(operator)) {
    const { mismatches: wrong } = (await operator.get(`/views/${name}/verify`)).body as {
      mismatches: readonly unknown[];
    };
    found.push(...wrong);
  }
  return found;
};

/** Every row of a listing, page after page. */
export const allRows = async (api: LedgerApi, query = ''): Promise<ListedRows['rows'][number][]> => {
  const rows: ListedRows['rows'][number][] = [];
  let token = '';
  do {
    const page = (await api.rows(`pageSize=100&${query}&pageToken=${encodeURIComponent(token)}`)).body;
    rows.push(...page.rows);
    token = page.nextPageToken;
  } while (token !== '');
  return rows;
};
