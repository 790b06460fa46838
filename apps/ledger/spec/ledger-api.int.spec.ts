import 'reflect-metadata';
import { message, RunningApi } from './running-api.js';

let api: RunningApi;

beforeAll(async () => {
  api = await RunningApi.start();
});

afterAll(async () => {
  await api.stop();
});

describe('tasks', () => {
  it('are created with 201, a row, a tag and a position', async () => {
    const { status, headers, body } = await api.post('/tasks', { contextId: 'c-1', message: message('m-1') });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      contextId: 'c-1',
      revision: 0,
      status: 'running',
      state: 'TASK_STATE_SUBMITTED',
    });
    expect(headers.get('etag')).toBe('"0"');
    expect(headers.get('ledger-position')).toMatch(/^[a-z0-9]{8}-\d{20}$/);
  });

  it('are created once under one key', async () => {
    const key = { 'idempotency-key': 'create-1' };
    const first = await api.post('/tasks', { contextId: 'k' }, key);
    const again = await api.post('/tasks', { contextId: 'k' }, key);
    const other = await api.post('/tasks', { contextId: 'x' }, key);
    expect([first.status, again.status, other.status]).toEqual([201, 201, 409]);
    expect(again.body).toEqual(first.body);
    expect(other.body).toMatchObject({ code: 'idempotency-conflict' });
  });

  it('move on by transitions, artifacts and messages', async () => {
    const id = await api.create();
    expect((await api.post(`/tasks/${id}/transitions`, { to: 'working' })).body).toMatchObject({
      revision: 1,
    });
    const artifact = { artifactId: 'a', parts: [{ text: 'x' }] };
    expect((await api.post(`/tasks/${id}/artifacts`, { artifact })).body).toMatchObject({ revision: 2 });
    expect((await api.post(`/tasks/${id}/messages`, { message: message('m') })).body).toMatchObject({
      revision: 3,
    });
    const done = await api.post(`/tasks/${id}/transitions`, { to: 'completed', result: { n: 1 } });
    expect(done).toMatchObject({ status: 200, body: { status: 'completed', result: { n: 1 } } });
    expect((await api.get(`/tasks/${id}`)).body).toEqual(done.body);
  });

  it('refuse what comes after their end, and keep it as late', async () => {
    const id = await api.create();
    await api.post(`/tasks/${id}/transitions`, { to: 'completed' });
    const late = await api.post(`/tasks/${id}/transitions`, { to: 'failed', reason: 'too late' });
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'task-is-terminal', state: 'TASK_STATE_COMPLETED' },
    });
    expect(late.headers.get('content-type')).toContain('application/problem+json');
    expect((await api.get(`/tasks/${id}/late`)).body).toEqual([expect.objectContaining({ to: 'failed' })]);
  });

  it('are written only at the revision that If-Match names', async () => {
    const id = await api.create();
    const refused = await api.post(`/tasks/${id}/transitions`, { to: 'working' }, { 'if-match': '"7"' });
    expect(refused).toMatchObject({ status: 412, body: { code: 'revision-mismatch' } });
    expect(
      (await api.post(`/tasks/${id}/transitions`, { to: 'working' }, { 'if-match': '"0"' })).status,
    ).toBe(200);
  });

  it('are created at no revision: If-Match is refused there, not left out', async () => {
    expect(await api.post('/tasks', {}, { 'if-match': '"0"' })).toMatchObject({
      status: 400,
      body: { code: 'invalid-request', field: 'if-match' },
    });
  });

  it('are told in other dialects, with what is lost', async () => {
    const id = await api.create();
    expect((await api.get(`/tasks/${id}?as=a2a-1.0`)).body).toMatchObject({
      dialect: 'a2a-1.0',
      value: { id },
    });
    expect((await api.get(`/tasks/${id}?as=sema`)).body).toMatchObject({
      dialect: 'sema',
      value: { taskId: id, status: 'running' },
    });
    expect(await api.get(`/tasks/${id}?as=agentd`)).toMatchObject({ status: 400, body: { field: 'as' } });
  });
});

describe('a history', () => {
  let id = '';
  beforeAll(async () => {
    id = await api.create({ message: message('m-1') });
    await api.post(`/tasks/${id}/transitions`, { to: 'working', message: message('s-1', 'ROLE_AGENT') });
    await api.post(`/tasks/${id}/messages`, { message: message('m-2') });
    await api.post(`/tasks/${id}/transitions`, { to: 'completed' });
  });

  it('is read in pages, both ways', async () => {
    const first = (await api.get(`/tasks/${id}/events?limit=3`)).body as {
      events: { type: string }[];
      next: number;
    };
    expect(first.events.map(({ type }) => type)).toEqual(['TaskSubmitted', 'TaskStarted', 'MessageRecorded']);
    expect(first.next).toBe(3);
    const back = (await api.get(`/tasks/${id}/events?direction=backwards&limit=1`)).body as {
      events: object[];
    };
    expect(back.events).toEqual([expect.objectContaining({ revision: 3, type: 'TaskCompleted' })]);
  });

  it('is followed as events to its end, and resumed after an id', async () => {
    const all = await api.frames(`/tasks/${id}/events`);
    expect(all.map((frame) => frame.id)).toEqual([0, 1, 2, 3].map((revision) => `${id}.${String(revision)}`));
    const rest = await api.frames(`/tasks/${id}/events`, { headers: { 'last-event-id': `${id}.1` } });
    expect(rest.map(({ data }) => data.revision)).toEqual([2, 3]);
    expect(await api.frames(`/tasks/${id}/events?from=4`)).toEqual([]);
  });

  it('C17 is followed from its start after an id that no event of it has', async () => {
    const id = await api.create();
    const frames = api.frames(`/tasks/${id}/events`, { headers: { 'last-event-id': `${id}.99` } });
    await api.post(`/tasks/${id}/transitions`, { to: 'completed' });
    expect((await frames).map(({ data }) => data.type)).toEqual(['TaskSubmitted', 'TaskCompleted']);
  });

  it('that ends before the revision it is followed from ends the stream', async () => {
    const id = await api.create();
    const frames = api.frames(`/tasks/${id}/events?from=99`);
    await api.post(`/tasks/${id}/transitions`, { to: 'completed' });
    expect(await frames).toEqual([]);
  });

  it('that is refused has no tag of an answer that was not given', async () => {
    const id = await api.create();
    const { status, headers } = await api.get(`/tasks/${id}/timeline?afterMessage=none`);
    expect([status, headers.get('etag')]).toEqual([400, null]);
  });

  it('is followed live', async () => {
    const task = await api.create();
    const following = api.frames(`/tasks/${task}/events`);
    await api.post(`/tasks/${task}/transitions`, { to: 'working' });
    await api.post(`/tasks/${task}/transitions`, { to: 'failed', reason: 'no' });
    expect((await following).map(({ data }) => data.type)).toEqual([
      'TaskSubmitted',
      'TaskStarted',
      'TaskFailed',
    ]);
  });

  it('has a timeline, a cause, and is what it was at every revision', async () => {
    const timeline = (await api.get(`/tasks/${id}/timeline?afterMessage=m-2`)).body as { entries: object[] };
    expect(timeline.entries).toEqual([expect.objectContaining({ kind: 'transition', revision: 3 })]);
    expect((await api.get(`/tasks/${id}/why`)).body).toContainEqual(
      expect.objectContaining({ type: 'TaskSubmitted' }),
    );
    const replay = await api.get(`/tasks/${id}/replay?revision=1`);
    expect(replay.body).toMatchObject({ revision: 1, row: { revision: 1 }, task: { id } });
    expect(replay.headers.get('etag')).toBe('"1"');
    expect((await api.get(`/tasks/${id}/diff?from=1&to=1`)).body).toEqual([]);
    expect((await api.get(`/tasks/${id}/diff?from=0&to=1`)).body).toContainEqual(
      expect.objectContaining({ path: '/status/state', value: 'TASK_STATE_WORKING' }),
    );
  });

  it.each([
    ['/events?limit=abc', 'limit'],
    ['/events?limit=1001', 'limit'],
    ['/timeline?after=1&afterMessage=m-1', 'afterMessage'],
    ['/replay?revision=99', 'revision'],
    ['/replay?at=yesterday', 'at'],
    ['/diff?from=0', 'to'],
    ['/diff?from=99&to=0', 'from'],
    ['/why?format=yaml', 'format'],
    ['/tree?depth=0', 'depth'],
  ])('refuses %s by its name', async (path, field) => {
    expect(await api.get(`/tasks/${id}${path}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid-request', field },
    });
  });
});

describe('children', () => {
  it('are linked, shown in the tree, and filtered by', async () => {
    const parent = await api.create();
    const child = await api.create();
    const linked = await api.post(`/tasks/${parent}/children`, { taskId: child, policy: 'abandon' });
    expect(linked).toMatchObject({
      status: 201,
      body: { parentTaskId: parent, taskId: child, policy: 'abandon', onEnd: 'abandon' },
    });
    const waitFor = { 'ledger-wait-for': String(linked.headers.get('ledger-position')) };
    const tree = await api.get(`/tasks/${parent}/tree`, waitFor);
    expect(tree.body).toMatchObject({ taskId: parent, children: [{ taskId: child }] });
    expect(tree.headers.get('ledger-position')).not.toBeNull();
    const rows = await api.get(`/rows?parentTaskId=${parent}`, waitFor);
    expect(rows.body).toMatchObject({ totalSize: 1, rows: [{ taskId: child, rootTaskId: parent }] });
  });

  it.each([
    [{ peer: { name: 'p' } }, 'peer'],
    [{}, 'taskId'],
  ])('that are not served yet are refused by the name of their field: %j', async (body, field) => {
    const parent = await api.create();
    const child = await api.create();
    const named = 'taskId' in body ? { ...body, taskId: child } : body;
    expect(await api.post(`/tasks/${parent}/children`, named)).toMatchObject({
      status: 400,
      body: { field },
    });
  });
});

describe('the feed', () => {
  it('brings every event of its types, and goes on after a position', async () => {
    const id = await api.create();
    await api.post(`/tasks/${id}/cancellation`);
    const canceled = await api.frames('/feed?types=TaskCanceled', { enough: 1 });
    expect(canceled[0]?.data).toMatchObject({ type: 'TaskCanceled' });
    expect(canceled[0]?.id).toBe(canceled[0]?.data.position);
    const next = await api.frames('/feed', {
      headers: { 'last-event-id': String(canceled[0]?.id) },
      enough: 1,
    });
    expect(String(next[0]?.id) > String(canceled[0]?.id)).toBe(true);
  });

  it.each([
    ['/feed?from=zzz', {}, 'from'],
    ['/feed', { 'last-event-id': 'zzz' }, 'last-event-id'],
    ['/feed?types=a;b', {}, 'types'],
  ])('%s %j is refused by name before the stream begins', async (path, headers, field) => {
    expect(await api.get(path, headers)).toMatchObject({ status: 400, body: { field } });
  });

  it('refuses a position at which nothing stands', async () => {
    const position = String((await api.post('/tasks', {})).headers.get('ledger-position'));
    const nowhere = `${position.slice(0, 9)}${'9'.repeat(20)}`;
    expect(await api.get(`/feed?from=${nowhere}`)).toMatchObject({ status: 400, body: { field: 'from' } });
  });
});

describe('views', () => {
  it('are listed, verified and rebuilt', async () => {
    const { views } = (await api.get('/views')).body as { views: { name: string }[] };
    const name = String(views[0]?.name);
    expect((await api.post(`/views/${name}/rebuild`)).status).toBe(200);
    expect((await api.get(`/views/${name}/verify`)).body).toMatchObject({ mismatches: [] });
    expect(await api.get('/views/none/verify')).toMatchObject({ status: 400, body: { field: 'name' } });
  });
});
