import { fileURLToPath } from 'node:url';
import { interleave, ratioOf } from '../lib/interleave.mjs';
import { seedTasks, startLedger } from '../lib/ledger.mjs';
import { newFolder } from '../lib/paths.mjs';
import { startServer } from '../lib/processes.mjs';
import { rateText, underLoad } from '../lib/throughput.mjs';
import { rpc, rpcResult } from '../load/client.mjs';
import { sendMessageBody } from './bodies.mjs';

const connections = 32;
const tasks = 10_000;
const warmUpTasks = 2_000;
const warmUpSeconds = 3;
const firstGetsSecondsMax = 120;
const echoServer = fileURLToPath(new URL('../peers/nest-echo.mjs', import.meta.url));

/**
 * GetTask of any of 10,000 tasks, beside the least that Nest + Fastify can do with a JSON body. First each of them
 * once, which nobody has touched before, then over and over, when what the service keeps of them is in memory.
 * @param {import('./index.mjs').Settings} settings
 */
export async function get({ rounds, seconds }) {
  const folder = newFolder('get');
  const ids = await seedTasks(folder, {
    tasks: tasks + warmUpTasks,
    contexts: tasks / 50,
    life: 'whole',
    messages: 1,
  });
  const ledger = await startLedger(folder);
  const echo = await startServer(echoServer, { ready: /port=(\d+)/ });
  const load = { path: '/a2a/jsonrpc', connections, expect: rpcResult };
  const warmUps = underLoad(ledger, { ...load, bodies: bodiesOf(ids.splice(0, warmUpTasks)) });
  const bodies = bodiesOf(ids);
  const firstGets = underLoad(ledger, { ...load, bodies, requestsMax: tasks });
  const gets = underLoad(ledger, { ...load, bodies });
  const echoes = underLoad(echo, {
    path: '/echo',
    connections,
    bodies: [sendMessageBody],
    expect: 'message-1',
  });
  for (const side of [warmUps, echoes]) await side.perSecond(warmUpSeconds);
  const first = [await firstGets.perSecond(firstGetsSecondsMax)];
  const repeated = await interleave(rounds, {
    ledger: () => gets.perSecond(seconds),
    echo: () => echoes.perSecond(seconds),
  });
  await ledger.stop();
  await echo.stop();

  /** @param {number[]} rates @param {import('../lib/throughput.mjs').Loaded} loaded */
  const figure = (rates, loaded) => ({
    value: ratioOf(rates, repeated.echo),
    unit: '',
    better: /** @type {const} */ ('more'),
    detail: `${rateText(rates, loaded)} ÷ ${rateText(repeated.echo, echoes)}`,
  });
  /** @type {import('../lib/report.mjs').Figure[]} */
  const figures = [
    {
      title: 'GetTask ÷ bare Nest + Fastify echo, 32 connections',
      must: 0.5,
      aim: 0.65,
      ...figure(repeated.ledger, gets),
    },
    { title: 'GetTask the first time that a task is asked for ÷ the same echo', ...figure(first, firstGets) },
  ];
  return { measure: 'get', samples: { ...repeated, first }, figures };
}

/** In a fixed order that is not the order of creation. @param {readonly string[]} ids */
const bodiesOf = (ids) => ids.map((_, index) => rpc('GetTask', { id: ids[(index * 7919) % ids.length] }));
