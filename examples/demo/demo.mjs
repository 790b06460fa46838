// @ts-check
/**
 * A user and an agent at one ledger. The user speaks A2A through the official client, the agent reports over the ledger
 * API, and afterwards the ledger tells what happened; then a family of two dozen tasks is cancelled. `npm start` in one terminal, `npm run demo` in another; another
 * service with `LEDGER_URL=http://… npm run demo`.
 */
import { asTask, cancelOf, connect, stateName, taskById, textOf, userMessage } from './a2a-client.mjs';
import { cancelAFamily } from './cascade.mjs';
import { LedgerApi, LedgerProblem } from './ledger-api.mjs';
import { heading, say, shortened, step, table, timeOfDay } from './print.mjs';

/**
 * @typedef {import('@a2a-js/sdk/client').Client} Client
 * @typedef {import('@a2a-js/sdk').StreamResponse} StreamResponse
 */

const defaultUrl = 'http://127.0.0.1:3000';

/** Tells the whole story against a running service. @param {string} baseUrl */
async function tell(baseUrl) {
  const client = await connect(baseUrl);
  const agent = new LedgerApi(baseUrl);
  await streamAnArtifact(client, agent);
  const askedTaskId = await askTheUser(client, agent);
  const canceledTaskId = await cancelInTheMiddle(client, agent);
  await showTimeline(agent, askedTaskId);
  await showReplay(agent, askedTaskId);
  await showLateUpdates(agent, canceledTaskId);
  await cancelAFamily(agent);
  say();
}

/** The agent writes an artifact piece by piece; the client's stream shows every piece as it is recorded. @param {Client} client @param {LedgerApi} agent */
async function streamAnArtifact(client, agent) {
  heading('1. Chunks of an artifact, watched live');
  step('client', 'sends "Write a haiku about ledgers." and watches the stream');
  /** @type {Promise<void> | undefined} */
  let work;
  for await (const frame of client.sendMessageStream(userMessage('Write a haiku about ledgers.'))) {
    step('client', `sees ${describeFrame(frame)}`);
    if (frame.payload?.$case === 'task') work = writeHaiku(agent, frame.payload.value.id);
  }
  await work;
  step('client', 'stream closed by the ledger: the task has ended');
}

/** @param {LedgerApi} agent @param {string} taskId */
async function writeHaiku(agent, taskId) {
  const lines = ['Every line stays put;\n', 'what was asked and what was done\n', 'can be read again.'];
  await agent.transition(taskId, { to: 'working' });
  for (const [index, text] of lines.entries()) {
    const name = index === 0 ? { name: 'haiku' } : {};
    const lastChunk = index === lines.length - 1;
    await agent.artifactChunk(taskId, { artifactId: 'haiku', ...name, text, append: index > 0, lastChunk });
  }
  await agent.transition(taskId, { to: 'completed' });
}

/** One frame of an A2A stream in words. @param {StreamResponse} frame */
function describeFrame({ payload }) {
  switch (payload?.$case) {
    case 'task':
      return `the task ${payload.value.id}, ${stateName(payload.value.status?.state)}`;
    case 'statusUpdate':
      return `state ${stateName(payload.value.status?.state)}`;
    case 'artifactUpdate':
      return `${payload.value.append ? 'more of' : 'the start of'} "${payload.value.artifact?.artifactId ?? ''}": ${textOf(payload.value.artifact).trim()}`;
    default:
      return 'a message';
  }
}

/** The agent asks, the user answers, the agent goes on. @param {Client} client @param {LedgerApi} agent @returns {Promise<string>} the task */
async function askTheUser(client, agent) {
  heading('2. A question and its answer');
  const text = 'Book me a table for tonight.';
  step('client', `sends "${text}"`);
  const { id: taskId } = asTask(await client.sendMessage(userMessage(text, { returnImmediately: true })));

  await agent.transition(taskId, { to: 'working' });
  const question = {
    messageId: `${taskId}-question`,
    role: 'ROLE_AGENT',
    parts: [{ text: 'For how many people?' }],
  };
  const asked = { to: 'input-required', checkpointToken: 'party-size', message: question };
  const { revision } = await agent.transition(taskId, asked);
  step('agent', 'asks, and leaves a checkpoint token to find its place again');

  const waiting = await client.getTask(taskById(taskId));
  step('client', `finds it ${stateName(waiting.status?.state)}: "${textOf(waiting.status?.message)}"`);
  step('client', 'answers "Four." and waits until the task ends');
  const answered = client.sendMessage(userMessage('Four.', { taskId }));
  await answerAfter(agent, taskId, revision);
  await agent.transition(taskId, { to: 'working', checkpointToken: 'party-size' });
  await agent.transition(taskId, { to: 'completed', result: 'Booked: four people, 19:30, by the window.' });
  const ended = asTask(await answered);
  step('client', `has it ${stateName(ended.status?.state)}: "${textOf(ended.artifacts.at(-1))}"`);
  return taskId;
}

/** Waits for the user's next message, as an event of the task. @param {LedgerApi} agent @param {string} taskId @param {number} revision */
async function answerAfter(agent, taskId, revision) {
  for await (const event of agent.follow(taskId, revision + 1)) {
    if (event.type === 'MessageRecorded') return step('agent', 'sees the answer in the events of the task');
  }
}

/** The user cancels; the agent, who does not know yet, reports success. @param {Client} client @param {LedgerApi} agent @returns {Promise<string>} the task */
async function cancelInTheMiddle(client, agent) {
  heading('3. A cancel, and a completion that comes too late');
  const text = 'Count every star you can see.';
  step('client', `sends "${text}"`);
  const { id: taskId } = asTask(await client.sendMessage(userMessage(text, { returnImmediately: true })));
  await agent.transition(taskId, { to: 'working' });
  step('agent', 'is working');
  const canceled = await client.cancelTask(cancelOf(taskId, 'clouds came up'));
  step('client', `cancels, and has it ${stateName(canceled.status?.state)}`);
  try {
    await agent.transition(taskId, { to: 'completed', result: '2,847 stars' });
  } catch (problem) {
    if (!(problem instanceof LedgerProblem)) throw problem;
    step('agent', 'reports that it has finished');
    step('ledger', `refuses: ${String(problem.status)} ${problem.code}`);
  }
  return taskId;
}

/** Everything that happened to a task, by whom and through which door. @param {LedgerApi} agent @param {string} taskId */
async function showTimeline(agent, taskId) {
  heading('4. The timeline of the table that was booked');
  const entries = await agent.timeline(taskId);
  const rows = entries.map((entry) => [
    String(entry.revision),
    timeOfDay(entry.at),
    entry.actor.via,
    entry.kind,
    describeEntry(entry),
  ]);
  table(['revision', 'time', 'through', 'kind', 'what'], rows);
}

/** @param {import('./ledger-api.mjs').TimelineEntry} entry */
function describeEntry({ kind, from, to, message, artifact }) {
  const words = shortened(`"${textOf(message ?? artifact)}"`, 60);
  if (kind === 'message') return `${message?.role === 'ROLE_AGENT' ? 'agent' : 'user'} says ${words}`;
  if (kind === 'artifact') return `records ${words}`;
  const move = from === undefined || from === to ? stateName(to) : `${stateName(from)} → ${stateName(to)}`;
  return message === undefined ? move : `${move}, asking ${words}`;
}

/** Folds the task again after each of its events: the past as it was. @param {LedgerApi} agent @param {string} taskId */
async function showReplay(agent, taskId) {
  heading('5. The same task, replayed event by event');
  const rows = [];
  for (const { revision, type } of await agent.events(taskId)) {
    const { row, task } = await agent.replay(taskId, revision);
    const messages = String(task.history?.length ?? 0);
    const artifacts = String(task.artifacts?.length ?? 0);
    rows.push([String(revision), type, row.status, stateName(row.state), messages, artifacts]);
  }
  table(['revision', 'event', 'status', 'state', 'messages', 'artifacts'], rows);
}

/** What came after the end: on record, and no part of the task. @param {LedgerApi} agent @param {string} taskId */
async function showLateUpdates(agent, taskId) {
  heading('6. The late completion, kept beside the canceled task');
  const rows = (await agent.late(taskId)).map(({ at, attempted, to, state, revision, content }) => [
    timeOfDay(at),
    to === undefined ? attempted : `${attempted} to ${to}`,
    `${state} since revision ${String(revision)}`,
    String(content.body.update['result'] ?? ''),
  ]);
  table(['time', 'refused', 'the task was', 'what the agent had'], rows);
}

const baseUrl = (process.env['LEDGER_URL'] ?? defaultUrl).replace(/\/$/, '');
try {
  await fetch(`${baseUrl}/healthz`);
} catch {
  process.stderr.write(
    `demo: no ledger answers at ${baseUrl}; start one with "npm start", or set LEDGER_URL\n`,
  );
  process.exit(1);
}
await tell(baseUrl).catch((/** @type {unknown} */ error) => {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
