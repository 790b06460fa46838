/**
 * Fills the log of a data folder with tasks, through the domain's own decisions and the embedded event store, many
 * appends in flight at once. Run as a process: `node seed.mjs <folder> <Seed as JSON>`; prints the ids of the tasks.
 *
 * @typedef {object} Seed
 * @property {number} tasks
 * @property {number} contexts tasks are dealt out to them in turn
 * @property {'open' | 'whole'} life `open`: submitted, and all of its messages; `whole`: submitted, started, one
 *   artifact, completed
 * @property {number} messages of each task, the first included
 */
import { randomUUID } from 'node:crypto';
import { message } from '../measures/bodies.mjs';
import { built } from './built.mjs';
import { openStore } from './store.mjs';
import { contextOf } from './ledger.mjs';

const { decide, evolve } = await built('domain');
const { openLog, systemClock, systemIds } = await built('application');

const namespace = 'ledger';
const inFlight = 256;
const eventsPerAppend = 100;

const [folder = '', seedText = '{}'] = process.argv.slice(2);
/** @type {Seed} */
const seed = JSON.parse(seedText);

/** The commands of one task's life, after it was submitted. @param {string} at */
function* lifeAfterSubmit(at) {
  for (let number = 1; number < seed.messages; number += 1) {
    yield { type: 'RecordMessage', at, message: message({ messageId: `message-${String(number + 1)}` }) };
  }
  if (seed.life === 'open') return;
  yield { type: 'ChangeState', at, to: 'working' };
  yield {
    type: 'RecordArtifact',
    at,
    artifact: { artifactId: 'summary', parts: [{ text: 'Supply, currency and staffing.' }] },
    lastChunk: true,
  };
  yield { type: 'ChangeState', at, to: 'completed' };
}

/** @param {string} taskId @param {number} number @param {string} at */
function eventsOf(taskId, number, at) {
  const contextId = contextOf(number % seed.contexts);
  const submit = { type: 'SubmitTask', at, taskId, contextId, message: message() };
  let task;
  const events = [];
  for (const command of [submit, ...lifeAfterSubmit(at)]) {
    for (const event of decide(command, task)) {
      const metadata = metadataOf(taskId);
      const id = randomUUID();
      const stored = {
        id,
        type: event.type,
        data: JSON.stringify(event.data),
        metadata: JSON.stringify(metadata),
      };
      const bytes = Buffer.byteLength(stored.data) + Buffer.byteLength(stored.metadata);
      task = evolve(task, { ...event, revision: events.length, id, metadata, bytes });
      events.push(stored);
    }
  }
  return events;
}

/** What the service writes beside an event of an anonymous caller. @param {string} taskId */
function metadataOf(taskId) {
  const commandId = randomUUID();
  return {
    tenant: 'default',
    owner: 'anonymous',
    principal: 'anonymous',
    role: 'user',
    via: 'a2a-jsonrpc',
    commandId,
    $causationId: commandId,
    $correlationId: taskId,
  };
}

const store = await openStore(folder);
await openLog(store, namespace, systemIds, systemClock);
const startedAt = Date.now() - seed.tasks;
/** @type {string[]} */
const taskIds = [];
let next = 0;

/** One of the writers: takes the next task until there is none. */
async function write() {
  while (next < seed.tasks) {
    const number = next++;
    const taskId = systemIds.taskId();
    taskIds.push(taskId);
    const events = eventsOf(taskId, number, new Date(startedAt + number).toISOString());
    for (let from = 0; from < events.length; from += eventsPerAppend) {
      const expected = from === 0 ? 'none' : from - 1;
      await store.append(`${namespace}.task-${taskId}`, events.slice(from, from + eventsPerAppend), expected);
    }
  }
}
await Promise.all(Array.from({ length: inFlight }, write));
await store.close();
process.stdout.write(JSON.stringify(taskIds));
