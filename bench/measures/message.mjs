import { interleave, ratioOf } from '../lib/interleave.mjs';
import { seedTasks, startLedger } from '../lib/ledger.mjs';
import { newFolder } from '../lib/paths.mjs';
import { median } from '../lib/statistics.mjs';
import { rpc, rpcResult, runLoad } from '../load/client.mjs';
import { message as messageOf } from './bodies.mjs';

const tasksPerRound = 60;
const warmUpMessages = 2_000;

/**
 * A message to a task that holds 1,000 of them, and to one that holds 1; one request at a time, every request to
 * another task that nobody touched before, so that nothing of it is in memory.
 * @param {import('./index.mjs').Settings} settings
 */
export async function message({ rounds }) {
  const folder = newFolder('message');
  const tasks = (rounds + 1) * tasksPerRound;
  const short = await seedTasks(folder, { tasks, contexts: tasks, life: 'open', messages: 1 });
  const long = await seedTasks(folder, { tasks, contexts: tasks, life: 'open', messages: 1_000 });
  const ledger = await startLedger(folder);
  await warmUp([...short.splice(0, tasksPerRound), ...long.splice(0, tasksPerRound)], ledger.port);
  const toShort = messagesTo(short, ledger.port);
  const toLong = messagesTo(long, ledger.port);
  const samples = await interleave(rounds, { long: toLong, short: toShort });
  await ledger.stop();
  /** @type {import('../lib/report.mjs').Figure[]} */
  const figures = [
    {
      title: 'message to a task with 1,000 messages ÷ with 1 (p50, historyLength 1)',
      value: ratioOf(samples.long, samples.short),
      unit: '',
      better: 'less',
      must: 1.5,
      aim: 1.15,
      detail: `${median(samples.long).toFixed(2)} ms ÷ ${median(samples.short).toFixed(2)} ms`,
    },
  ];
  return { measure: 'message', samples, figures };
}

/** Compiled code is measured, so the way is gone often before, with tasks that are not measured. @param {readonly string[]} ids @param {number} port */
const warmUp = (ids, port) => send(ids, port, warmUpMessages);

/** @param {readonly string[]} ids @param {number} port @returns {() => Promise<number>} each call: the next tasks' p50 */
function messagesTo(ids, port) {
  let next = 0;
  return async () => {
    const ofThisRound = ids.slice(next, next + tasksPerRound);
    next += tasksPerRound;
    return (await send(ofThisRound, port, ofThisRound.length)).p50;
  };
}

/** @param {readonly string[]} ids @param {number} port @param {number} requestsMax */
const send = (ids, port, requestsMax) =>
  runLoad({ port, path: '/a2a/jsonrpc', bodies: ids.map(followUp), requestsMax, expect: rpcResult });

/** @param {string} taskId */
const followUp = (taskId) =>
  rpc('SendMessage', {
    message: messageOf({ messageId: 'message-next', taskId }),
    configuration: { returnImmediately: true, historyLength: 1 },
  });
