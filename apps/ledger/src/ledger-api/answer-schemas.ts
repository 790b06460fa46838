import { ApiResponse, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import type { Certificate, CertificateNode, EventFrame, WhyStep } from '#application';
import type { Exported } from '#dialects';
import { a2aStates, type LedgerRow } from '#domain';
import type { ListedRow, TreeNode, ViewStatus } from '#views';
import type { Problem } from '../http/problem.js';

/** What the API answers, as OpenAPI tells it. The types of the answers keep each list of fields complete. */
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Schemas[string];

const text: Schema = { type: 'string' };
const whole: Schema = { type: 'integer', minimum: 0 };
const flag: Schema = { type: 'boolean' };
const instant: Schema = { type: 'string', format: 'date-time' };
const free: Schema = { type: 'object', additionalProperties: true };
const anything: Schema = { description: 'Any JSON value.' };
const oneOf = (...names: readonly string[]): Schema => ({ type: 'string', enum: [...names] });
const listOf = (items: Schema): Schema => ({ type: 'array', items });
const ref = (name: string): Schema => ({ $ref: getSchemaPath(name) });

type OptionalKeys<Type> = {
  [Key in keyof Type]-?: undefined extends Type[Key] ? Key : never;
}[keyof Type];

/** Fields of an answer; those that may be absent are named once more. */
const objectOf = <Type>(
  properties: { readonly [Key in keyof Type]-?: Schema },
  ...optional: readonly (OptionalKeys<Type> & string)[]
): Schema => ({
  type: 'object',
  properties: { ...properties },
  required: Object.keys(properties).filter((name) => !(optional as readonly string[]).includes(name)),
});

const counted = (names: readonly string[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, whole])),
  required: [...names],
});

const loss = objectOf<LedgerRow['losses'][number]>({ field: text, note: text });
const policy = oneOf('cascade', 'cooperative', 'abandon');
const onEnd = oneOf('abandon', 'cascade');
const requestedBy = objectOf<Certificate['requestedBy']>({
  principal: text,
  role: oneOf('user', 'agent', 'operator'),
  via: text,
  requestId: text,
});

const row = {
  taskId: text,
  contextId: text,
  tenant: text,
  owner: text,
  revision: whole,
  status: oneOf('running', 'parked', 'completed', 'failed', 'killed'),
  stoppedBy: text,
  state: oneOf(...a2aStates),
  admitted: flag,
  checkpointToken: text,
  link: free,
  parentTaskId: text,
  policy,
  onEnd,
  askSchema: free,
  result: anything,
  cancellationId: text,
  cancellation: objectOf<NonNullable<LedgerRow['cancellation']>>(
    { requestedAt: instant, dueAt: instant },
    'dueAt',
  ),
  children: objectOf<LedgerRow['children']>({ total: whole }),
  deadline: instant,
  createdAt: instant,
  updatedAt: instant,
  losses: listOf(loss),
  flagged: objectOf<NonNullable<LedgerRow['flagged']>>({ revision: whole, type: text }),
};
const rowOptional = [
  'stoppedBy',
  'checkpointToken',
  'link',
  'parentTaskId',
  'policy',
  'onEnd',
  'askSchema',
  'result',
  'cancellationId',
  'cancellation',
  'deadline',
  'flagged',
] as const;

const node = objectOf<CertificateNode>(
  {
    taskId: text,
    parentTaskId: text,
    depth: whole,
    policy,
    outcome: text,
    by: text,
    revision: whole,
    reachedAt: instant,
    settledAt: instant,
    worker: text,
    late: flag,
    attempts: whole,
    lastError: text,
  },
  'parentTaskId',
  'policy',
  'by',
  'revision',
  'settledAt',
  'late',
  'lastError',
);

const certificate = objectOf<Certificate>(
  {
    cancellationId: text,
    rootTaskId: text,
    requestedAt: instant,
    requestedBy,
    mode: oneOf('immediate', 'cooperative'),
    reason: text,
    metadata: free,
    status: oneOf('running', 'settled', 'confirmed'),
    settledAt: instant,
    confirmedAt: instant,
    counts: counted([
      'canceled',
      'forced',
      'alreadyTerminal',
      'lostRace',
      'abandoned',
      'refused',
      'unreachable',
      'unknownRemote',
    ]),
    workers: counted(['none', 'unnotified', 'notified', 'acknowledged', 'leaseExpired', 'wroteLate']),
    nodes: listOf(node),
    nextNodes: text,
    survivors: listOf(text),
    unconfirmed: listOf(text),
    repeats: listOf(objectOf<Certificate['repeats'][number]>({ at: instant, by: requestedBy })),
  },
  'reason',
  'metadata',
  'settledAt',
  'confirmedAt',
  'nextNodes',
);

type PagedEvent = Omit<EventFrame, 'position' | 'stream' | 'taskId'>;

const schemas = {
  Problem: objectOf<Pick<Problem, 'type' | 'title' | 'status' | 'code' | 'detail'>>({
    type: text,
    title: text,
    status: whole,
    code: text,
    detail: text,
  }),
  Row: objectOf<LedgerRow>(row, ...rowOptional),
  RowsPage: objectOf({
    rows: listOf(objectOf<ListedRow>({ ...row, openChildren: whole, rootTaskId: text }, ...rowOptional)),
    nextPageToken: text,
    totalSize: whole,
    position: text,
  }),
  InDialect: objectOf<Exported>({ dialect: text, value: free, losses: listOf(loss) }),
  RowOrDialect: { oneOf: [ref('Row'), ref('InDialect')] },
  Certificate: certificate,
  CancellationAccepted: objectOf({ cancellationId: text, taskId: text, state: oneOf(...a2aStates) }),
  LinkedChild: objectOf({ parentTaskId: text, taskId: text, policy, onEnd }),
  Tree: objectOf<TreeNode>(
    {
      taskId: text,
      state: oneOf(...a2aStates),
      policy,
      onEnd,
      late: flag,
      children: listOf(ref('Tree')),
      more: flag,
    },
    'policy',
    'onEnd',
    'late',
    'more',
  ),
  EventPage: objectOf<{ events: unknown; next?: number }>(
    {
      events: listOf(
        objectOf<PagedEvent>(
          {
            revision: whole,
            id: text,
            type: text,
            at: instant,
            occurredAt: instant,
            data: anything,
            metadata: anything,
          },
          'occurredAt',
        ),
      ),
      next: whole,
    },
    'next',
  ),
  LateUpdates: listOf(free),
  Timeline: objectOf<{ entries: unknown; next?: number }>(
    { entries: listOf({ ...free, required: ['revision', 'at', 'kind', 'actor'] }), next: whole },
    'next',
  ),
  Replay: objectOf({ revision: whole, at: instant, row: ref('Row'), task: free }),
  Diff: listOf({ ...free, description: 'An operation of RFC 6902.' }),
  Causes: listOf(
    objectOf<WhyStep>(
      { stream: text, revision: whole, type: text, at: instant, principal: text, via: text, reason: text },
      'reason',
    ),
  ),
  View: objectOf<ViewStatus>(
    { name: text, position: text, lag: whole, setAside: whole, rebuild: free, distrusted: whole },
    'rebuild',
  ),
  Views: objectOf({ views: listOf(ref('View')), setAside: listOf(free) }),
  Verification: objectOf({ checked: whole, mismatches: listOf(free) }),
} satisfies Schemas;

type SchemaName = keyof typeof schemas;

/** Documents what a route answers; with `orStream` also as server-sent events. */
export const Answers = (
  status: number,
  name: SchemaName,
  { orStream = false }: { readonly orStream?: boolean } = {},
): MethodDecorator & ClassDecorator =>
  ApiResponse({
    status,
    description: name,
    content: {
      'application/json': { schema: ref(name) },
      ...(orStream ? { 'text/event-stream': { schema: text } } : {}),
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
