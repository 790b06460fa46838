import { ApiResponse, type OpenAPIObject } from '@nestjs/swagger';
import type { EventFrame, WhyStep } from '#application';
import type { Exported } from '#dialects';
import type { LedgerRow } from '#domain';
import type { ListedRow, TreeNode, ViewStatus } from '#views';
import type { Problem } from '../http/problem.js';
import { cancellationSchemas } from './cancellation-schemas.js';
import { textTypes } from './formats.js';
import {
  a2aState,
  anything,
  flag,
  free,
  instant,
  listOf,
  loss,
  maybe,
  objectOf,
  onEnd,
  oneOf,
  policy,
  ref,
  text,
  whole,
  type Schema,
  type Schemas,
} from './schema-parts.js';

const row = {
  taskId: text,
  contextId: text,
  tenant: text,
  owner: text,
  revision: whole,
  status: oneOf('running', 'parked', 'completed', 'failed', 'killed'),
  stoppedBy: maybe(text),
  state: a2aState,
  admitted: flag,
  checkpointToken: maybe(text),
  link: maybe(free),
  parentTaskId: maybe(text),
  policy: maybe(policy),
  onEnd: maybe(onEnd),
  askSchema: maybe(free),
  result: maybe(anything),
  cancellationId: maybe(text),
  cancellation: maybe(
    objectOf<NonNullable<LedgerRow['cancellation']>>({ requestedAt: instant, dueAt: maybe(instant) }),
  ),
  children: objectOf<LedgerRow['children']>({ total: whole }),
  deadline: maybe(instant),
  createdAt: instant,
  updatedAt: instant,
  losses: listOf(loss),
  flagged: maybe(objectOf<NonNullable<LedgerRow['flagged']>>({ revision: whole, type: text })),
};

type PagedEvent = Omit<EventFrame, 'position' | 'stream' | 'taskId'>;

const event = objectOf<PagedEvent>({
  revision: whole,
  id: text,
  type: text,
  at: instant,
  occurredAt: maybe(instant),
  data: anything,
  metadata: anything,
});

/** An object of these fields, all of them present. */
type With<Names extends string> = Readonly<Record<Names, unknown>>;

const schemas = {
  Problem: objectOf<Pick<Problem, 'type' | 'title' | 'status' | 'code' | 'detail'>>({
    type: text,
    title: text,
    status: whole,
    code: text,
    detail: text,
  }),
  Row: objectOf<LedgerRow>(row),
  RowsPage: objectOf<With<'rows' | 'nextPageToken' | 'totalSize' | 'position'>>({
    rows: listOf(objectOf<ListedRow>({ ...row, openChildren: whole, rootTaskId: text })),
    nextPageToken: text,
    totalSize: whole,
    position: text,
  }),
  InDialect: objectOf<Exported>({ dialect: text, value: free, losses: listOf(loss) }),
  RowOrDialect: { oneOf: [ref('Row'), ref('InDialect')] },
  ...cancellationSchemas,
  LinkedChild: objectOf<With<'parentTaskId' | 'taskId' | 'policy' | 'onEnd'>>({
    parentTaskId: text,
    taskId: text,
    policy,
    onEnd,
  }),
  Tree: objectOf<TreeNode>({
    taskId: text,
    state: a2aState,
    policy: maybe(policy),
    onEnd: maybe(onEnd),
    late: maybe(flag),
    children: listOf(ref('Tree')),
    more: maybe({ ...flag, description: 'Children are left out: ask for the tree of this task.' }),
  }),
  EventPage: objectOf<With<'events'> & { next?: number }>({ events: listOf(event), next: maybe(whole) }),
  LateUpdates: listOf(free),
  Timeline: objectOf<With<'entries'> & { next?: number }>({
    entries: listOf({ ...free, required: ['revision', 'at', 'kind', 'actor'] }),
    next: maybe(whole),
  }),
  Replay: objectOf<With<'revision' | 'at' | 'row' | 'task'>>({
    revision: whole,
    at: instant,
    row: ref('Row'),
    task: free,
  }),
  Diff: listOf({ ...free, description: 'An operation of RFC 6902.' }),
  Causes: listOf(
    objectOf<WhyStep>({
      stream: text,
      revision: whole,
      type: text,
      at: instant,
      principal: text,
      via: text,
      reason: maybe(text),
    }),
  ),
  View: objectOf<ViewStatus>({
    name: text,
    position: text,
    lag: whole,
    setAside: whole,
    rebuild: maybe(free),
    distrusted: whole,
  }),
  Views: objectOf<With<'views' | 'setAside'>>({ views: listOf(ref('View')), setAside: listOf(free) }),
  Verification: objectOf<With<'checked' | 'mismatches'>>({ checked: whole, mismatches: listOf(free) }),
} satisfies Schemas;

type SchemaName = keyof typeof schemas;

/** How else than in JSON a route answers. */
interface OtherForms {
  /** As server-sent events. */
  readonly orStream?: boolean;
  /** As text for people (`format`). */
  readonly orText?: boolean;
}

const asText: Readonly<Record<string, { schema: Schema }>> = Object.fromEntries(
  Object.values(textTypes).map((type) => [type, { schema: text }]),
);

/** Documents what a route answers. */
export const Answers = (
  status: number,
  name: SchemaName,
  { orStream = false, orText = false }: OtherForms = {},
): MethodDecorator & ClassDecorator =>
  ApiResponse({
    status,
    description: name,
    content: {
      'application/json': { schema: ref(name) },
      ...(orStream ? { 'text/event-stream': { schema: text } } : {}),
      ...(orText ? asText : {}),
    },
  });

/** Documents a route whose answer is a stream and nothing else. */
export const AnswersStream = (): MethodDecorator & ClassDecorator =>
  ApiResponse({ status: 200, description: 'Events', content: { 'text/event-stream': { schema: text } } });

/** Documents what every route of the API answers when it refuses. */
export const AnswersProblems = (): MethodDecorator & ClassDecorator =>
  ApiResponse({
    status: 'default',
    description: 'Problem',
    content: { 'application/problem+json': { schema: ref('Problem') } },
  });

/** The document with the schemas that the answers refer to. */
export const withAnswerSchemas = (document: OpenAPIObject): OpenAPIObject => ({
  ...document,
  components: {
    ...document.components,
    schemas: { ...document.components?.schemas, ...schemas },
  },
});
