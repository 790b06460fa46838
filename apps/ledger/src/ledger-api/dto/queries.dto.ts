import { a2aStates, stopCauses, type A2AState, type RowStatus, type StoppedBy } from '#domain';
import type { Certificate } from '#application';
import { dialectNames, type DialectName } from '#dialects';
import { formats, type Format } from '../formats.js';
import { Says } from '../request/says.js';
import { InstantParam, NamesParam, OneOfParam, TextParam, WholeParam } from '../request/query-fields.js';

/** Characters of an id in a query. */
const idLengthMax = 256;
/** Characters of a principal. */
const nameLengthMax = 256;
const pageTokenLengthMax = 4_096;
const revisionMax = 1_000_000_000;

/** Events, timeline entries of one page. */
export const pageSizeMax = 1_000;

export class DialectQuery {
  @OneOfParam(dialectNames) readonly as?: DialectName;
}

export class EventsQuery {
  @WholeParam(0, revisionMax) readonly from?: number;
  @WholeParam(1, pageSizeMax, 100) readonly limit: number = 100;
  @OneOfParam(['forwards', 'backwards'], 'forwards') readonly direction: 'forwards' | 'backwards' =
    'forwards';
}

export class TimelineQuery {
  @WholeParam(0, revisionMax) readonly after?: number;
  @TextParam(idLengthMax) readonly afterMessage?: string;
  @WholeParam(1, pageSizeMax, 100) readonly limit: number = 100;
}

export class ReplayQuery {
  @WholeParam(0, revisionMax) readonly revision?: number;
  @InstantParam() readonly at?: string;
  @OneOfParam(dialectNames) readonly as?: DialectName;
}

export class DiffQuery {
  @WholeParam(0, revisionMax) readonly from?: number;
  @WholeParam(0, revisionMax) readonly to?: number;
}

/** Levels and nodes of a tree in one answer. */
export class TreeQuery {
  @WholeParam(1, 1_000, 10) readonly depth: number = 10;
  @WholeParam(1, 1_000, 100) readonly limit: number = 100;
}

export class FormatQuery {
  @OneOfParam(formats, 'json') readonly format?: Format;
}

const nextNodes = '`nextNodes` of the page before: the task id of its last node.';

export class PlanQuery {
  @Says(`With a dry run only. ${nextNodes}`) @TextParam(idLengthMax) readonly nodesAfter?: string;
}

export class CancellationQuery extends FormatQuery {
  @Says(nextNodes) @TextParam(idLengthMax) readonly nodesAfter?: string;

  @Says('Answers when the certificate is so far, and as it is when the time is over.')
  @OneOfParam(['settled', 'confirmed'])
  readonly wait?: 'settled' | 'confirmed';

  @Says('Milliseconds; LEDGER_BLOCKING_TIMEOUT_MS by default and at most.')
  @WholeParam(0, 3_600_000)
  readonly timeoutMs?: number;
}

export class CancellationsQuery {
  @Says('The principal who asked.') @TextParam(nameLengthMax) readonly requestedBy?: string;
  @OneOfParam(['running', 'settled', 'confirmed']) readonly status?: Certificate['status'];
  @Says('Asked for at or after this instant.') @InstantParam() readonly since?: string;
  @TextParam(idLengthMax) readonly rootTaskId?: string;
  @WholeParam(1, 100, 50) readonly pageSize: number = 50;
  @TextParam(pageTokenLengthMax) readonly pageToken?: string;
}

const rowStatuses = [
  'running',
  'parked',
  'completed',
  'failed',
  'killed',
] as const satisfies readonly RowStatus[];
const stoppers: readonly StoppedBy[] = ['user', 'parent', ...stopCauses];
const linkForm = {
  pattern: /^(?:run|subagent|turn):.+$/s,
  allowed: 'run:<id>, subagent:<handle> or turn:<contextId>',
};

export class RowsQuery {
  @OneOfParam(rowStatuses) readonly status?: RowStatus;
  @OneOfParam(a2aStates) readonly state?: A2AState;
  @OneOfParam(stoppers) readonly stoppedBy?: StoppedBy;
  @TextParam(idLengthMax) readonly contextId?: string;
  @TextParam(idLengthMax) readonly parentTaskId?: string;
  @TextParam(idLengthMax) readonly rootTaskId?: string;
  @TextParam(idLengthMax + 'subagent:'.length, linkForm) readonly link?: string;
  @InstantParam() readonly updatedAfter?: string;
  @WholeParam(1, 100, 50) readonly pageSize: number = 50;
  @TextParam(pageTokenLengthMax) readonly pageToken?: string;
}

export class FeedQuery {
  @NamesParam() readonly types?: readonly string[];
  @TextParam(100) readonly from?: string;
}
