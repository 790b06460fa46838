import { setTimeout as sleep } from 'node:timers/promises';

const branches = 100;
const connections = 64;
const pollMs = 50;

/**
 * A working task with so many descendants, through the service's own API: 100 children, the rest in equal parts below
 * them.
 * @param {number} port @param {number} descendants
 * @returns {Promise<string>} id of the root
 */
export async function growTree(port, descendants) {
  const rootTaskId = await create(port, {});
  const below = await createMany(
    port,
    Array.from({ length: branches }, () => rootTaskId),
  );
  const leaves = Array.from(
    { length: descendants - branches },
    (_, index) => below[index % branches] ?? rootTaskId,
  );
  await createMany(port, leaves);
  await untilInStep(port);
  return rootTaskId;
}

/** Waits until the views have handled everything: what is measured next does not pay for it. @param {number} port */
async function untilInStep(port) {
  for (;;) {
    const { views } = await ask(port, 'GET', '/views');
    if (views.every((/** @type {{ lag: number }} */ { lag }) => lag === 0)) return;
    await sleep(pollMs);
  }
}

/** Milliseconds from the cancel to its settled certificate; throws when it holds anything but canceled tasks. @param {number} port @param {string} rootTaskId */
export async function cancelTree(port, rootTaskId) {
  const begun = performance.now();
  const { cancellationId } = await ask(port, 'POST', `/tasks/${rootTaskId}/cancellation`, {});
  const certificate = await ask(port, 'GET', `/cancellations/${cancellationId}?wait=settled`);
  const milliseconds = performance.now() - begun;
  if (certificate.status === 'running' || certificate.survivors.length > 0)
    throw new Error(`the cascade did not settle: ${JSON.stringify(certificate.counts)}`);
  return milliseconds;
}

/** @param {number} port @param {readonly string[]} parents @returns {Promise<string[]>} */
async function createMany(port, parents) {
  /** @type {string[]} */
  const created = [];
  let next = 0;
  const createNext = async () => {
    for (let index = next++; index < parents.length; index = next++)
      created.push(await create(port, { parent: { taskId: parents[index] } }));
  };
  await Promise.all(Array.from({ length: connections }, createNext));
  return created;
}

/** A working task. @param {number} port @param {object} body @returns {Promise<string>} */
async function create(port, body) {
  const { taskId } = await ask(port, 'POST', '/tasks', body);
  await ask(port, 'POST', `/tasks/${taskId}/transitions`, { to: 'working' });
  return taskId;
}

/** @param {number} port @param {string} method @param {string} path @param {object} [body] @returns {Promise<any>} */
async function ask(port, method, path, body) {
  const response = await fetch(`http://127.0.0.1:${String(port)}/ledger/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}
