import type { Generated } from 'kysely';
import type { CancellationStatus } from '../../reading.js';

/** Columns of a task's row that lists filter and order by. */
export interface VersionColumns {
  task_key: number;
  task_id: string;
  tenant: string;
  owner: string;
  context_id: string;
  state: string;
  status: string;
  stopped_by: string | null;
  status_at: string;
  updated_at: string;
  parent_id: string | null;
  root_id: string | null;
  link: string | null;
  revision: number;
  valid_from: string;
  fold: string;
  heading: string | null;
}

export type CounterKind = 'tenant' | 'owner' | 'context';

/** The view's tables; what the columns mean stands in ../rows.ts. */
export interface ViewTables {
  marks: {
    name: string;
    position: string;
    event_id: string;
    log_id: string;
    fold_version: number;
    schema_version: number;
    purged: string;
    building: number;
    started_at: string;
    handled: number;
    generation: string;
    rebuild_asked: number;
  };
  /** The newest version of every task. */
  tasks: VersionColumns;
  /** Older versions, for the later pages of a list; each lives some minutes longer than it was true. */
  closed_versions: VersionColumns & { version: Generated<number>; valid_to: string; closed_at: number };
  /** How many tasks a scope holds, so that a total costs one look. */
  counters: { kind: CounterKind; tenant: string; context_id: string; owner: string; tasks: number };
  messages: { place: number; message: string };
  chunks: {
    place: number;
    artifact_id: string;
    append: number;
    artifact: string;
    replaced_at: string | null;
  };
  commands: { place: number; command_id: string; request_hash: string };
  links: {
    parent_id: string;
    child_id: string;
    policy: string;
    on_end: string;
    grace_ms: number | null;
    revision: number;
    late: number;
    position: string;
  };
  timers: { task_key: number; kind: string; task_id: string; due_at: number; cancellation_id: string | null };
  cancellations: {
    cancellation_id: string;
    root_task_id: string;
    root_revision: number | null;
    tenant: string;
    owner: string;
    requested_at: string;
    principal: string;
    role: string;
    via: string;
    request_id: string | null;
    mode: string;
    status: CancellationStatus;
    settled_at: string | null;
    confirmed_at: string | null;
    descendants_only: number;
    parent_ended: number;
    reason: string | null;
    position: string;
  };
  set_aside: { position: string; stream: string; revision: number; type: string; error: string };
  distrusted: { task_id: string; detail: string };
}

/** Columns that a version is copied by. */
export const versionColumns = [
  'task_key',
  'task_id',
  'tenant',
  'owner',
  'context_id',
  'state',
  'status',
  'stopped_by',
  'status_at',
  'updated_at',
  'parent_id',
  'root_id',
  'link',
  'revision',
  'valid_from',
  'fold',
  'heading',
] as const satisfies readonly (keyof VersionColumns)[];
