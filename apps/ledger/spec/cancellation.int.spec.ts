import 'reflect-metadata';
import { message, RunningApi, type Answer, type Frame } from './running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await RunningApi.start();
});
afterAll(() => api.stop());

const working = async (body: object = {}): Promise<string> => {
  const id = await api.create(body);
  await api.post(`/tasks/${id}/transitions`, { to: 'working' });
  return id;
};
const ends = (id: string, to = 'completed'): Promise<Answer> => api.post(`/tasks/${id}/transitions`, { to });
const under = (taskId: string, terms: object = {}): object => ({ parent: { taskId, ...terms } });
const cancels = async (id: string, body: object = {}): Promise<string> =>
  String((await api.post(`/tasks/${id}/cancellation`, body)).body.cancellationId);
const certificate = async (id: string, query = '?wait=settled'): Promise<Record<string, unknown>> =>
  (await api.get(`/cancellations/${id}${query}`)).body;
const rowOf = async (id: string): Promise<Record<string, unknown>> => (await api.get(`/tasks/${id}`)).body;
const stateOf = async (id: string): Promise<unknown> => (await rowOf(id)).state;
const typesOf = async (id: string): Promise<string[]> => {
  const { events } = (await api.get(`/tasks/${id}/events?limit=1000`)).body as { events: { type: string }[] };
  return events.map(({ type }) => type);
};

/** A root at work with a child of each policy, an ended child with a live one below, and an orphan to be. */
const family = async () => {
  const root = await working();
  const plain = await api.create(under(root));
  const asked = await working(under(root, { policy: 'cooperative', graceMs: 60_000 }));
  const below = await api.create(under(asked));
  const free = await working(under(root, { policy: 'abandon' }));
  const done = await working(under(root));
  const left = await working(under(done));
  await ends(done);
  return { root, plain, asked, below, free, done, left };
};

describe('a cancellation', () => {
  it('C29 ends the task once, and every repeat names it', async () => {
    const id = await api.create();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api.post(`/tasks/${id}/cancellation`, { reason: 'enough' })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ body }) => body.cancellationId)).size).toBe(1);
    const [first] = answers;
    expect(first?.body).toMatchObject({ taskId: id, state: 'TASK_STATE_CANCELED' });
    expect(first?.headers.get('etag')).toBe('"1"');
    const told = await certificate(String(first?.body.cancellationId));
    expect(told).toMatchObject({ rootTaskId: id, reason: 'enough', status: 'confirmed' });
    expect(told.repeats).toHaveLength(9);
  });

  it('needs no body', async () => {
    expect((await api.post(`/tasks/${await api.create()}/cancellation`)).status).toBe(202);
  });

  it('can be read from the moment its id is given out', async () => {
    const { root } = await family();
    const id = await cancels(root, { reason: 'budget', metadata: { ticket: 'OPS-7' } });
    expect(await certificate(id, '')).toMatchObject({
      cancellationId: id,
      rootTaskId: root,
      mode: 'immediate',
      reason: 'budget',
      metadata: { ticket: 'OPS-7' },
      requestedBy: { principal: 'anonymous', via: 'ledger-api' },
    });
  });

  it('goes down every link as its policy says, and settles when the asked task has ended', async () => {
    const { root, plain, asked, below, free, done, left } = await family();
    const id = await cancels(root);
    const isAsked = ({ data }: Frame): boolean => JSON.stringify(data).includes(asked);
    await Promise.all([
      api.frames(`/tasks/${plain}/events`),
      api.frames(`/tasks/${left}/events`),
      api.frames('/feed?types=NodeWaiting', { until: isAsked }),
    ]);
    expect(await certificate(id, '')).toMatchObject({
      status: 'running',
      survivors: expect.arrayContaining([asked]) as string[],
    });
    expect(await Promise.all([plain, left, free, asked, below, done].map(stateOf))).toEqual([
      'TASK_STATE_CANCELED',
      'TASK_STATE_CANCELED',
      'TASK_STATE_WORKING',
      'TASK_STATE_WORKING',
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_COMPLETED',
    ]);
    await ends(asked, 'canceled');
    const told = await certificate(id);
    expect(told).toMatchObject({
      status: 'settled',
      counts: { canceled: 5, alreadyTerminal: 1, abandoned: 1, forced: 0, lostRace: 0 },
      workers: { acknowledged: 1 },
      survivors: [free],
      unconfirmed: expect.arrayContaining([root, left]) as string[],
    });
    expect(told.nodes).toContainEqual(
      expect.objectContaining({ taskId: asked, parentTaskId: root, depth: 1, policy: 'cooperative' }),
    );
    expect(await typesOf(below)).toEqual(['TaskSubmitted', 'TaskCanceled']);
  });

  it('without cascade ends the task alone, as it was asked', async () => {
    const { root, plain } = await family();
    const told = await certificate(await cancels(root, { cascade: false }));
    expect(told).toMatchObject({ counts: { canceled: 1 }, nodes: [{ taskId: root }] });
    expect(await stateOf(plain)).toBe('TASK_STATE_SUBMITTED');
  });

  it('C51 of the descendants alone leaves the task as it is, and is a new one each time', async () => {
    const root = await working();
    const child = await api.create(under(root));
    const first = await api.post(`/tasks/${root}/cancellation`, { descendantsOnly: true });
    expect(first).toMatchObject({ status: 202, body: { taskId: root, state: 'TASK_STATE_WORKING' } });
    const told = await certificate(String(first.body.cancellationId));
    expect(told).toMatchObject({ rootTaskId: root, counts: { canceled: 1 }, nodes: [{ taskId: child }] });
    expect(await cancels(root, { descendantsOnly: true })).not.toBe(first.body.cancellationId);
    await ends(root);
    const ended = await api.post(`/tasks/${root}/cancellation`, { descendantsOnly: true });
    expect(ended).toMatchObject({ status: 202, body: { state: 'TASK_STATE_COMPLETED' } });
    expect(await typesOf(root)).not.toContain('TaskCanceled');
  });

  it('of a task that ended otherwise is refused', async () => {
    const id = await api.create();
    await ends(id, 'rejected');
    expect(await api.post(`/tasks/${id}/cancellation`)).toMatchObject({
      status: 409,
      body: { code: 'task-is-terminal', state: 'TASK_STATE_REJECTED' },
    });
  });

  it('under one key is one, and answers as it did', async () => {
    const id = await working();
    const key = { 'idempotency-key': 'cancel-1' };
    const first = await api.post(`/tasks/${id}/cancellation`, { reason: 'a' }, key);
    expect((await api.post(`/tasks/${id}/cancellation`, { reason: 'a' }, key)).body).toEqual(first.body);
    expect(await api.post(`/tasks/${id}/cancellation`, { reason: 'b' }, key)).toMatchObject({
      status: 409,
      body: { code: 'idempotency-conflict' },
    });
  });

  it.each([
    [{ mode: 'gentle' }, 'mode'],
    [{ mode: 'cooperative', graceMs: 999 }, 'graceMs'],
    [{ mode: 'cooperative', graceMs: 86_400_001 }, 'graceMs'],
    [{ mode: 'cooperative', graceMs: 1_500.5 }, 'graceMs'],
    [{ graceMs: 2_000 }, 'graceMs'],
    [{ mode: 'immediate', graceMs: 2_000 }, 'graceMs'],
    [{ cascade: 'no' }, 'cascade'],
    [{ descendantsOnly: true, cascade: false }, 'cascade'],
    [{ descendantsOnly: 1 }, 'descendantsOnly'],
    [{ dryRun: 'yes' }, 'dryRun'],
    [{ reason: 'x'.repeat(4_097) }, 'reason'],
    [{ metadata: [] }, 'metadata'],
    [{ why: 'x' }, 'why'],
  ])('%.60j is refused by the name of its field', async (body, field) => {
    const id = await api.create();
    expect(await api.post(`/tasks/${id}/cancellation`, body)).toMatchObject({ status: 400, body: { field } });
    expect(await stateOf(id)).toBe('TASK_STATE_SUBMITTED');
  });

  it('that nobody asked for is not found', async () => {
    for (const query of ['', '?wait=confirmed', '?format=text']) {
      expect(await api.get(`/cancellations/none${query}`)).toMatchObject({
        status: 404,
        body: { code: 'cancellation-not-found' },
      });
    }
  });
});

describe('C51 a dry run', () => {
  it('tells what the real run then does, and writes nothing', async () => {
    const { root, plain, asked, below, free, done, left } = await family();
    const before = await api.get(`/rows?rootTaskId=${root}`);
    const { status, body } = await api.post(`/tasks/${root}/cancellation`, { dryRun: true });
    expect(status).toBe(200);
    expect(body.counts).toMatchObject({ cancel: 3, ask: 1, afterParent: 1, alreadyTerminal: 1, abandon: 1 });
    const planned = new Map(
      (body.nodes as { taskId: string; planned: string }[]).map((n) => [n.taskId, n.planned]),
    );
    expect([root, plain, asked, below, free, done, left].map((id) => planned.get(id))).toEqual([
      'cancel',
      'cancel',
      'ask',
      'afterParent',
      'abandon',
      'alreadyTerminal',
      'cancel',
    ]);
    expect((await api.get(`/rows?rootTaskId=${root}`)).body).toEqual(before.body);
    expect((await api.get(`/cancellations?rootTaskId=${root}`)).body.cancellations).toEqual([]);
  });

  it('is refused at another revision, as the cancel would be', async () => {
    const root = await working();
    const path = `/tasks/${root}/cancellation`;
    const refused = { status: 412, body: { code: 'revision-mismatch', revision: 1 } };
    for (const dryRun of [true, false])
      expect(await api.post(path, { dryRun }, { 'if-match': '"0"' })).toMatchObject(refused);
    expect((await api.post(path, { dryRun: true }, { 'if-match': '"1"' })).status).toBe(200);
  });

  it('of the descendants leaves the root out', async () => {
    const root = await working();
    const child = await api.create(under(root));
    const plan = await api.post(`/tasks/${root}/cancellation`, { dryRun: true, descendantsOnly: true });
    expect(plan).toMatchObject({ status: 200, body: { nodes: [{ taskId: child, planned: 'cancel' }] } });
  });

  it('goes on after a node of it, and nothing else does', async () => {
    const { root } = await family();
    const path = `/tasks/${root}/cancellation`;
    const { nodes } = (await api.post(path, { dryRun: true })).body as { nodes: { taskId: string }[] };
    const rest = await api.post(`${path}?nodesAfter=${String(nodes[2]?.taskId)}`, { dryRun: true });
    expect(rest.body.nodes).toEqual(nodes.slice(3));
    for (const [query, body] of [
      ['?nodesAfter=none', { dryRun: true }],
      [`?nodesAfter=${root}`, {}],
    ] as const) {
      expect(await api.post(`${path}${query}`, body)).toMatchObject({
        status: 400,
        body: { field: 'nodesAfter' },
      });
    }
    expect(await stateOf(root)).toBe('TASK_STATE_WORKING');
  });
});

describe('a cooperative cancellation', () => {
  it('asks the agent of a task at work: the row says so, and takes no message of a user', async () => {
    const id = await working();
    const asked = await api.post(`/tasks/${id}/cancellation`, { mode: 'cooperative', graceMs: 60_000 });
    expect(asked).toMatchObject({ status: 202, body: { taskId: id, state: 'TASK_STATE_WORKING' } });
    const row = await rowOf(id);
    const { requestedAt, dueAt } = row.cancellation as { requestedAt: string; dueAt: string };
    expect(Date.parse(dueAt) - Date.parse(requestedAt)).toBe(60_000);
    expect(await api.post(`/tasks/${id}/messages`, { message: message('m') })).toMatchObject({
      status: 409,
      body: { code: 'cancellation-open', cancellationId: asked.body.cancellationId, dueAt },
    });
  });

  it('is acknowledged by the agent, once, and confirmed when it has stopped', async () => {
    const id = await working();
    const cancellationId = await cancels(id, { mode: 'cooperative' });
    const acks = await Promise.all(
      [1, 2].map(() => api.post(`/tasks/${id}/cancellation/ack`, { note: 'stopping' })),
    );
    for (const ack of acks) expect(ack).toMatchObject({ status: 200, body: { cancellationId } });
    expect((await certificate(cancellationId, '')).status).toBe('running');
    await ends(id, 'canceled');
    expect(await certificate(cancellationId, '?wait=confirmed')).toMatchObject({
      status: 'confirmed',
      workers: { acknowledged: 1, unnotified: 0 },
    });
  });

  it('is declined by the agent: messages are taken again, and a new one may be asked for', async () => {
    const id = await working();
    const first = await cancels(id, { mode: 'cooperative' });
    expect(await api.post(`/tasks/${id}/cancellation/decline`, { note: 'almost done' })).toMatchObject({
      status: 200,
      body: { cancellationId: first },
    });
    expect(await rowOf(id)).not.toHaveProperty('cancellation');
    expect((await api.post(`/tasks/${id}/messages`, { message: message('m') })).status).toBe(200);
    expect(await certificate(first)).toMatchObject({ counts: { refused: 1 }, survivors: [id] });
    expect(await cancels(id, { mode: 'cooperative' })).not.toBe(first);
  });

  it('is forced by the ledger when its grace is over', async () => {
    const id = await working();
    const cancellationId = await cancels(id, { mode: 'cooperative', graceMs: 1_000 });
    expect(await certificate(cancellationId)).toMatchObject({ counts: { forced: 1 }, unconfirmed: [id] });
    expect(await stateOf(id)).toBe('TASK_STATE_CANCELED');
  });

  it('that finds nobody at work ends the task at once', async () => {
    const id = await api.create();
    const answer = await api.post(`/tasks/${id}/cancellation`, { mode: 'cooperative' });
    expect(answer.body.state).toBe('TASK_STATE_CANCELED');
  });

  it('of an immediate one is acknowledged after the end, and a task never cancelled has none to acknowledge', async () => {
    const id = await working();
    const cancellationId = await cancels(id);
    expect(await api.post(`/tasks/${id}/cancellation/ack`)).toMatchObject({
      status: 200,
      body: { cancellationId },
    });
    expect((await certificate(cancellationId, '?wait=confirmed')).status).toBe('confirmed');
    expect(await api.post(`/tasks/${await working()}/cancellation/ack`)).toMatchObject({
      status: 404,
      body: { code: 'cancellation-not-found' },
    });
  });

  it('that nobody asked for is not declined', async () => {
    const id = await working();
    expect(await api.post(`/tasks/${id}/cancellation/decline`)).toMatchObject({
      status: 409,
      body: { code: 'transition-not-allowed', to: 'declined' },
    });
    await ends(id);
    expect(await api.post(`/tasks/${id}/cancellation/decline`)).toMatchObject({
      status: 409,
      body: { code: 'task-is-terminal' },
    });
  });

  it.each(['ack', 'decline'])('takes a note and nothing else with its %s', async (deed) => {
    const id = await working();
    await cancels(id, { mode: 'cooperative' });
    for (const [body, field] of [
      [{ note: 7 }, 'note'],
      [{ reason: 'x' }, 'reason'],
    ] as const) {
      expect(await api.post(`/tasks/${id}/cancellation/${deed}`, body)).toMatchObject({
        status: 400,
        body: { field },
      });
    }
    expect(await api.post(`/tasks/none/cancellation/${deed}`)).toMatchObject({
      status: 404,
      body: { code: 'task-not-found' },
    });
  });
});
