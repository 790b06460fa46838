// @ts-check
/**
 * A journey that is being planned by two dozen tasks is called off: what the cancel reaches, what it leaves alone, who
 * was faster, and what the certificate says afterwards.
 */
import { LedgerProblem } from './ledger-api.mjs';
import { heading, say, step } from './print.mjs';
import { stateName } from './a2a-client.mjs';

/**
 * @typedef {import('./ledger-api.mjs').LedgerApi} LedgerApi
 * @typedef {import('./ledger-api.mjs').TreeNode} TreeNode
 * @typedef {object} Plan one task to be, and those below it
 * @property {string} name
 * @property {string} [policy]
 * @property {Plan[]} [below]
 */

/** Tasks of one kind. @param {string} name @param {number} count @returns {Plan[]} */
const several = (name, count) =>
  Array.from({ length: count }, (_, index) => ({ name: `${name} ${String(index + 1)}` }));

/** @type {Plan} */
const journey = {
  name: 'plan a journey',
  below: [
    { name: 'find flights', below: several('ask airline', 5) },
    { name: 'find hotels', below: several('ask hotel', 6) },
    {
      name: 'check passports',
      below: [{ name: 'renew a passport', below: [{ name: 'take a photograph' }] }],
    },
    { name: 'write the itinerary', policy: 'cooperative', below: several('draw map', 2) },
    { name: 'archive the receipts', policy: 'abandon', below: several('scan page', 2) },
    { name: 'pay the deposit' },
  ],
};

/** @param {LedgerApi} agent */
export async function cancelAFamily(agent) {
  /** @type {Map<string, string>} */
  const names = new Map();
  const rootTaskId = await start(agent, journey, names);
  const taskIdOf = (/** @type {string} */ name) => idNamed(names, name);
  await agent.transition(taskIdOf('check passports'), { to: 'completed', result: 'One has expired.' });

  heading('7. Two dozen tasks, before');
  await show(agent, rootTaskId, names);
  step('client', `asks what a cancel would do: ${countsText((await agent.rehearse(rootTaskId)).counts)}`);

  heading('8. The journey is called off');
  const cancellationId = await callOff(agent, rootTaskId, taskIdOf);
  const late = await agent.create({ message: said('rent a car'), parent: { taskId: rootTaskId } });
  names.set(late.taskId, 'rent a car');
  step('agent', `adds a task under the journey, and has it ${stateName(late.state)} at once`);
  await agent.transition(taskIdOf('write the itinerary'), { to: 'completed', result: 'Day 1: arrive.' });
  step('agent', 'finishes the itinerary inside its grace: the result is kept');
  await agent.certificate(cancellationId);

  heading('9. The tree afterwards');
  await show(agent, rootTaskId, names);

  heading('10. The certificate');
  await stopWorkers(agent, cancellationId);
  say(indented(await agent.certificateText(cancellationId)));

  heading('11. Why the photograph was never taken');
  say(indented(await agent.whyText(taskIdOf('take a photograph'))));
}

/** Makes the task and everything below it, level by level. @param {LedgerApi} agent @param {Plan} plan @param {Map<string, string>} names */
async function start(agent, plan, names) {
  const rootTaskId = await startOne(agent, plan, undefined, names);
  let level = [{ plan, taskId: rootTaskId }];
  while (level.length > 0) {
    const next = [];
    for (const { plan: above, taskId } of level)
      for (const below of above.below ?? [])
        next.push({ plan: below, taskId: await startOne(agent, below, taskId, names) });
    level = next;
  }
  return rootTaskId;
}

/** @param {LedgerApi} agent @param {Plan} plan @param {string | undefined} parentTaskId @param {Map<string, string>} names */
async function startOne(agent, { name, policy }, parentTaskId, names) {
  const parent =
    parentTaskId === undefined ? {} : { parent: { taskId: parentTaskId, ...(policy && { policy }) } };
  const { taskId } = await agent.create({ message: said(name), ...parent });
  await agent.transition(taskId, { to: 'working' });
  names.set(taskId, name);
  return taskId;
}

/** @param {string} text */
const said = (text) => ({ messageId: text, role: 'ROLE_USER', parts: [{ text }] });

/** The cancel, and a worker that is done at the same moment: whichever append came first holds. @param {LedgerApi} agent @param {string} rootTaskId @param {(name: string) => string} taskIdOf */
async function callOff(agent, rootTaskId, taskIdOf) {
  const [canceled, paid] = await Promise.allSettled([
    agent.cancel(rootTaskId, { reason: 'the conference was moved', metadata: { ticket: 'OPS-7' } }),
    agent.transition(taskIdOf('pay the deposit'), { to: 'completed', result: 'EUR 120' }),
  ]);
  if (canceled.status === 'rejected') throw canceled.reason;
  step('client', 'cancels "plan a journey"; the answer does not wait for the tree');
  if (paid.status === 'fulfilled') step('agent', 'has paid the deposit in the same moment, and was first');
  else if (paid.reason instanceof LedgerProblem)
    step('agent', `reports the deposit a moment too late: ${String(paid.reason.status)} ${paid.reason.code}`);
  return canceled.value.cancellationId;
}

/** Workers hear of it, stop, and say so; all but one. @param {LedgerApi} agent @param {string} cancellationId */
async function stopWorkers(agent, cancellationId) {
  const { unconfirmed } = await agent.certificate(cancellationId);
  for (const taskId of unconfirmed.slice(1)) await agent.acknowledge(taskId, 'stopped');
  step('agent', `${String(unconfirmed.length - 1)} workers say that they have stopped; one says nothing`);
}

/** @param {LedgerApi} agent @param {string} rootTaskId @param {Map<string, string>} names */
async function show(agent, rootTaskId, names) {
  const lines = [];
  /** @type {[TreeNode, number][]} */
  const open = [[await agent.tree(rootTaskId), 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, depth] = next;
    lines.push(lineOf(node, depth, names));
    open.push(
      ...node.children.map((child) => /** @type {[TreeNode, number]} */ ([child, depth + 1])).reverse(),
    );
  }
  say(lines.join('\n'));
}

const nameWidth = 34;

/** @param {TreeNode} node @param {number} depth @param {Map<string, string>} names */
function lineOf({ taskId, state, policy, late }, depth, names) {
  const name = `  ${'  '.repeat(depth)}${names.get(taskId) ?? taskId}`;
  const link = policy === undefined || policy === 'cascade' ? '' : policy;
  return `${name.padEnd(nameWidth)}${stateName(state).padEnd(12)}${link}${late === true ? 'late' : ''}`.trimEnd();
}

/** @param {Map<string, string>} names @param {string} name */
function idNamed(names, name) {
  for (const [taskId, other] of names) if (other === name) return taskId;
  throw new Error(`no task is called ${name}`);
}

/** @param {Record<string, number>} counts */
const countsText = (counts) =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${String(count)} ${what}`)
    .join(', ');

/** @param {string} text */
const indented = (text) => text.trimEnd().replaceAll(/^/gm, '  ');
