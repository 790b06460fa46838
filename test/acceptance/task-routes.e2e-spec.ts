import { describe, expect, it } from '@jest/globals';
import {
  agentMessage,
  al2,
  alice,
  artifact,
  httpRequest,
  LedgerApi,
  openFrames,
  userMessage,
  useService,
  workerAgent,
} from '../support/index.js';

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const position = /^[a-z0-9]{8}-\d{20}$/;

describe('the task routes of the ledger API', () => {
  const service = useService();
  const user = new LedgerApi(service, alice);
  const agent = new LedgerApi(service, workerAgent);
  const operator = new LedgerApi(service, al2);

  const newTask = async (): Promise<string> => (await user.create()).body.taskId;

  describe('POST /tasks', () => {
    it('answers 201 with the row, its revision as ETag and its position', async () => {
      const answer = await user.create({
        contextId: 'ctx',
        message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] },
        metadata: { customer: 'c-7' },
        link: { kind: 'run', id: 'run-1' },
      });
      expect(answer.status).toBe(201);
      expect(answer.etag).toBe('"0"');
      expect(answer.position).toMatch(position);
      expect(answer.body).toEqual({
        taskId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        contextId: 'ctx',
        tenant: 'acme',
        owner: 'alice',
        revision: 0,
        status: 'running',
        state: 'TASK_STATE_SUBMITTED',
        admitted: false,
        link: { kind: 'run', id: 'run-1' },
        children: { total: 0 },
        createdAt: expect.stringMatching(instant),
        updatedAt: expect.stringMatching(instant),
        losses: expect.any(Array),
      });
    });

    it('an empty body makes a task in a context of its own', async () => {
      const [one, two] = [(await user.create()).body, (await user.create()).body];
      expect(one.contextId).not.toBe(two.contextId);
    });

    it.each([
      [{ colour: 'red' }, 'colour'],
      [{ link: { kind: 'run', id: 'x', colour: 'red' } }, 'colour'],
      [{ link: { kind: 'moon', id: 'x' } }, 'link'],
      [{ contextId: '' }, 'contextId'],
      [{ contextId: 5 }, 'contextId'],
      [{ message: { role: 'ROLE_USER', parts: [{ text: 'x' }] } }, 'messageId'],
      [{ message: { messageId: 'm', role: 'user', parts: [{ text: 'x' }] } }, 'role'],
      [{ message: { messageId: 'm', role: 'ROLE_USER', parts: [] } }, 'parts'],
      [{ metadata: 'x' }, 'metadata'],
      [{ deadline: 'yesterday' }, 'deadline'],
      [{ deadline: '2020-01-01T00:00:00.000Z' }, 'deadline'],
      [{ parent: { taskId: 'x', policy: 'sometimes' } }, 'policy'],
    ])('%j is 400 and names %s', async (body, field) => {
      const answer = await user.post('/tasks', body);
      expect(answer.problem).toMatchObject({ status: 400, code: 'invalid-request' });
      expect(answer.problem.field).toContain(field);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      expect(answer.problem).toMatchObject({ type: expect.any(String), title: expect.any(String) });
    });

    it.each(['{"contextId":', '[]', '"x"', 'null'])('the body %s is 400', async (body) => {
      expect((await user.post('/tasks', body)).problem).toMatchObject({
        status: 400,
        code: 'invalid-request',
      });
    });
  });

  describe('GET /tasks/{id}', () => {
    it('answers the row with its ETag', async () => {
      const created = await user.create();
      const answer = await user.row(created.body.taskId);
      expect([answer.status, answer.etag]).toEqual([200, '"0"']);
      expect(answer.body).toEqual(created.body);
    });

    it('translates with what is lost', async () => {
      const taskId = await newTask();
      await agent.emit(taskId, 'working', 'on it');
      const a2a = (await user.as(taskId, 'a2a-1.0')).body;
      expect(a2a).toMatchObject({ dialect: 'a2a-1.0', losses: expect.any(Array) });
      expect(a2a.value).toMatchObject({ id: taskId, status: { state: 'TASK_STATE_WORKING' } });
      const sema = (await user.as(taskId, 'sema')).body;
      expect(sema).toMatchObject({ dialect: 'sema', losses: expect.any(Array) });
    });

    it('an unknown dialect is 400', async () => {
      expect((await user.as(await newTask(), 'klingon')).problem).toMatchObject({ status: 400, field: 'as' });
    });

    it('an unknown task is 404', async () => {
      expect((await user.row('nope')).problem).toMatchObject({ status: 404, code: 'task-not-found' });
    });
  });

  describe('POST /tasks/{id}/transitions', () => {
    it.each([
      ['working', 'running', 'TASK_STATE_WORKING'],
      ['input-required', 'parked', 'TASK_STATE_INPUT_REQUIRED'],
      ['auth-required', 'parked', 'TASK_STATE_AUTH_REQUIRED'],
      ['completed', 'completed', 'TASK_STATE_COMPLETED'],
      ['failed', 'failed', 'TASK_STATE_FAILED'],
      ['rejected', 'failed', 'TASK_STATE_REJECTED'],
    ])('to %s the row is %s', async (to, status, state) => {
      const taskId = await newTask();
      const answer = await agent.emit(taskId, to, 'so');
      expect(answer.status).toBe(200);
      expect(answer.etag).toBe('"1"');
      expect(answer.position).toMatch(position);
      expect(answer.body).toMatchObject({ taskId, revision: 1, status, state });
    });

    it.each([
      ['operator', 'operator'],
      ['deadline', 'deadline'],
      ['lease-expired', 'worker went silent'],
      ['orphaned', 'parent ended'],
      ['superseded', 'another task took its place'],
      ['peer', 'peer'],
      ['policy', 'policy'],
      ['system', 'the ledger'],
    ])(
      'to stopped by %s the row is killed and A2A shows a failure that names the cause',
      async (stoppedBy, cause) => {
        const taskId = await newTask();
        const row = (await agent.transition(taskId, { to: 'stopped', stoppedBy, reason: 'why not' })).body;
        expect(row).toMatchObject({ status: 'killed', stoppedBy, state: 'TASK_STATE_FAILED' });
        const { value } = (await agent.as(taskId, 'a2a-1.0')).body;
        expect(JSON.stringify(value.status)).toContain(cause);
      },
    );

    it.each([
      [{ to: 'stopped' }, 'stoppedBy'],
      [{ to: 'stopped', stoppedBy: 'user' }, 'stoppedBy'],
      [{ to: 'stopped', stoppedBy: 'parent' }, 'stoppedBy'],
      [{ to: 'working', stoppedBy: 'operator' }, 'stoppedBy'],
      [{ to: 'working', result: 1 }, 'result'],
      [{ to: 'flying' }, 'to'],
      [{ to: 'working', colour: 'red' }, 'colour'],
      [{ to: 'working', message: { messageId: 'm', role: 'ROLE_AGENT', parts: 'x' } }, 'parts'],
    ])('%j is 400 and names %s', async (body, field) => {
      const answer = await agent.post(`/tasks/${await newTask()}/transitions`, body);
      expect(answer.problem).toMatchObject({ status: 400, code: 'invalid-request' });
      expect(answer.problem.field).toContain(field);
    });

    it('canceled is not for an agent to say while nobody asked', async () => {
      const answer = await agent.transition(await newTask(), { to: 'canceled' });
      expect(answer.problem).toMatchObject({
        status: 409,
        code: 'transition-not-allowed',
        from: 'submitted',
        to: 'canceled',
        allowed: expect.not.arrayContaining(['canceled']),
      });
    });

    it('the same state without a word is a no-op; with one it is progress', async () => {
      const taskId = await newTask();
      await agent.emit(taskId, 'working');
      const again = await agent.emit(taskId, 'working');
      expect([again.status, again.body.revision, again.position]).toEqual([200, 1, null]);
      expect((await agent.emit(taskId, 'working', 'half way')).body.revision).toBe(2);
      expect(await agent.eventTypes(taskId)).toEqual(['TaskSubmitted', 'TaskStarted', 'TaskProgressed']);
    });

    it('a question with a checkpoint token is left with that token only', async () => {
      const taskId = await newTask();
      const asked = await agent.transition(taskId, {
        to: 'input-required',
        message: agentMessage('which?'),
        askSchema: { type: 'object' },
        checkpointToken: 'cp-1',
      });
      expect(asked.body).toMatchObject({ checkpointToken: 'cp-1', askSchema: { type: 'object' } });
      for (const checkpointToken of [undefined, 'cp-2']) {
        const body = { to: 'working', ...(checkpointToken === undefined ? {} : { checkpointToken }) };
        expect((await agent.transition(taskId, body)).status).toBeGreaterThanOrEqual(400);
      }
      const resumed = await agent.transition(taskId, { to: 'working', checkpointToken: 'cp-1' });
      expect(resumed.body.state).toBe('TASK_STATE_WORKING');
      expect(resumed.body).not.toHaveProperty('checkpointToken');
      expect((await agent.eventTypes(taskId)).at(-1)).toBe('TaskResumed');
    });

    it.each([
      ['a string', 'the answer', { text: 'the answer' }],
      ['an object', { answer: 42 }, { data: { answer: 42 } }],
      ['a list', [1, 2], { data: [1, 2] }],
      ['a number', 0, { data: 0 }],
      ['false', false, { data: false }],
    ])('a result that is %s is an artifact of its own, in the same append', async (_, result, part) => {
      const taskId = await newTask();
      const row = (await agent.transition(taskId, { to: 'completed', result })).body;
      expect(row).toMatchObject({ result, revision: 2 });
      expect(await agent.eventTypes(taskId)).toEqual(['TaskSubmitted', 'ArtifactRecorded', 'TaskCompleted']);
      const { value } = (await agent.as(taskId, 'a2a-1.0')).body;
      expect(value.artifacts).toEqual([{ artifactId: `${taskId}.result`, parts: [part] }]);
    });
  });

  describe('POST /tasks/{id}/artifacts', () => {
    it('answers 200 with the row', async () => {
      const taskId = await newTask();
      const answer = await agent.record(taskId, { artifact: artifact('a1', ['x'], { name: 'report' }) });
      expect([answer.status, answer.etag, answer.body.revision]).toEqual([200, '"1"', 1]);
      expect(answer.position).toMatch(position);
    });

    it.each([
      [{}, 'artifact'],
      [{ artifact: { parts: [{ text: 'x' }] } }, 'artifactId'],
      [{ artifact: { artifactId: 'a', parts: [{ text: 'x' }] }, append: 'yes' }, 'append'],
      [{ artifact: { artifactId: 'a', parts: [{ text: 'x' }] }, last: true }, 'last'],
    ])('%j is 400 and names %s', async (body, field) => {
      const answer = await agent.record(await newTask(), body);
      expect(answer.problem.field).toContain(field);
    });
  });

  describe('POST /tasks/{id}/messages', () => {
    it('records a message of either side and leaves the state as it is', async () => {
      const taskId = await newTask();
      await agent.emit(taskId, 'input-required', 'which?');
      const said = await user.message(taskId, userMessage('that one'));
      expect(said.body).toMatchObject({ revision: 2, state: 'TASK_STATE_INPUT_REQUIRED' });
      expect((await agent.message(taskId, agentMessage('noted'))).body.revision).toBe(3);
    });

    it('an ended task takes no message', async () => {
      const taskId = await newTask();
      await agent.emit(taskId, 'completed');
      const answer = await user.message(taskId, userMessage('more'));
      expect(answer.problem).toMatchObject({ status: 409, code: 'task-is-terminal', revision: 1 });
    });
  });

  describe('GET /tasks/{id}/events', () => {
    it('pages both ways', async () => {
      const taskId = await newTask();
      for (let index = 0; index < 4; index++) await agent.emit(taskId, 'working', String(index));
      const first = (await agent.events(taskId, 'limit=2')).body;
      expect(first.events.map(({ revision }) => revision)).toEqual([0, 1]);
      expect(first.next).toBe(2);
      const last = (await agent.events(taskId, 'from=2&limit=1000')).body;
      expect(last.events.map(({ revision }) => revision)).toEqual([2, 3, 4]);
      expect(last).not.toHaveProperty('next');
      const backwards = (await agent.events(taskId, 'from=3&limit=2&direction=backwards')).body;
      expect(backwards.events.map(({ revision }) => revision)).toEqual([3, 2]);
      expect(backwards.next).toBe(1);
    });

    it('shows an event with its metadata', async () => {
      const taskId = await newTask();
      const [event] = (await agent.events(taskId)).body.events;
      expect(event).toMatchObject({
        revision: 0,
        type: 'TaskSubmitted',
        at: expect.stringMatching(instant),
        data: { taskId },
        metadata: { tenant: 'acme', owner: 'alice', principal: 'alice', role: 'user', via: 'ledger-api' },
      });
    });

    it.each(['limit=0', 'limit=1001', 'limit=x', 'from=-1', 'direction=sideways'])(
      '%s is 400',
      async (query) => {
        expect((await agent.events(await newTask(), query)).problem.code).toBe('invalid-request');
      },
    );

    it('follows live as server-sent events, to the end', async () => {
      const taskId = await newTask();
      const stream = await agent.followEvents(taskId, 'from=0');
      await stream.take(1);
      await agent.emit(taskId, 'working');
      await agent.emit(taskId, 'completed');
      const frames = await stream.take(2);
      expect(frames.map(({ id }) => id)).toEqual([`${taskId}.1`, `${taskId}.2`]);
      expect(JSON.parse(frames[1]?.data ?? '{}')).toMatchObject({
        taskId,
        revision: 2,
        type: 'TaskCompleted',
        stream: `ledger.task-${taskId}`,
        position: expect.stringMatching(position),
      });
      stream.destroy();
    });
  });

  it('GET /tasks/{id}/timeline tells messages, artifacts and transitions in order, with their actors', async () => {
    const taskId = (await user.create({ message: { ...userMessage('m1', { messageId: 'm1' }) } })).body
      .taskId;
    await agent.emit(taskId, 'working');
    await agent.chunk(taskId, 'a1', ['one']);
    await agent.message(taskId, agentMessage('s1'));
    await operator.message(taskId, userMessage('m2', { messageId: 'm2' }));
    await agent.chunk(taskId, 'a1', ['two'], { append: true });
    await agent.emit(taskId, 'completed', 'done');
    const { entries } = (await user.timeline(taskId)).body;
    expect(entries.map(({ kind, actor }) => [kind, actor.principal])).toEqual([
      ['message', 'alice'],
      ['transition', 'worker'],
      ['artifact', 'worker'],
      ['message', 'worker'],
      ['message', 'al2'],
      ['artifact', 'worker'],
      ['transition', 'worker'],
    ]);
    const kinds = async (query: string): Promise<string[]> =>
      (await user.timeline(taskId, query)).body.entries.map(({ kind }) => kind);
    expect(await kinds('afterMessage=m2')).toEqual(['artifact', 'transition']);
    expect(await kinds('after=4')).toEqual(['artifact', 'transition']);
    const page = (await user.timeline(taskId, 'limit=3')).body;
    expect(page.entries).toHaveLength(3);
    expect(page.next).toBeDefined();
    expect((await user.timeline(taskId, 'afterMessage=unknown')).status).toBe(400);
  });

  it('GET /tasks/{id}/why tells who and through which door', async () => {
    const taskId = await newTask();
    await operator.cancel(taskId, { reason: 'budget exceeded', metadata: { ticket: 'OPS-7' } });
    const steps = (await user.why(taskId)).body;
    expect(steps[0]).toMatchObject({
      stream: `ledger.task-${taskId}`,
      revision: 1,
      type: 'TaskCanceled',
      principal: 'al2',
      via: 'ledger-api',
      reason: 'budget exceeded',
    });
  });

  it('ETag and If-Match make a write conditional', async () => {
    const taskId = await newTask();
    const stale = { 'If-Match': '"7"' };
    const refused = await agent.transition(taskId, { to: 'working' }, stale);
    expect(refused.problem).toMatchObject({ status: 412, code: 'revision-mismatch' });
    expect((await agent.transition(taskId, { to: 'working' }, { 'If-Match': '"0"' })).etag).toBe('"1"');
    expect((await user.cancel(taskId, {}, stale)).status).toBe(412);
    expect((await agent.transition(taskId, { to: 'failed' }, { 'If-Match': 'x' })).status).toBe(400);
    expect(await agent.eventTypes(taskId)).toEqual(['TaskSubmitted', 'TaskStarted']);
  });

  it('GET /feed resumes by Last-Event-ID and filters by type', async () => {
    const feed = await agent.feed('from=end');
    const taskId = await newTask();
    await agent.emit(taskId, 'working');
    const frames = await feed.take(2);
    expect(frames.map(({ id }) => id)).toEqual([
      expect.stringMatching(position),
      expect.stringMatching(position),
    ]);
    feed.destroy();
    const first = frames[0];
    const resumed = await agent.feed('', { 'Last-Event-ID': first?.id ?? '' });
    expect((await resumed.take(1))[0]).toEqual(frames[1]);
    resumed.destroy();
    await agent.emit(taskId, 'completed');
    const filtered = await agent.feed(`from=${first?.id ?? ''}&types=TaskCompleted`);
    expect(JSON.parse((await filtered.take(1))[0]?.data ?? '{}')).toMatchObject({
      taskId,
      type: 'TaskCompleted',
    });
    filtered.destroy();
    expect((await agent.get('/feed?from=nonsense', { Accept: 'text/event-stream' })).status).toBe(400);
  });

  it('a path that does not exist is a problem too', async () => {
    const answer = await user.get('/nowhere');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it('the feed needs a caller', async () => {
    expect((await httpRequest(`${service.url}/ledger/v1/feed`)).status).toBe(401);
    await expect(openFrames(`${service.url}/ledger/v1/feed`, {})).rejects.toThrow('401');
  });
});
