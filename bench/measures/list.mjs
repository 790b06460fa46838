import { interleave, ratioOf } from '../lib/interleave.mjs';
import { contextOf, seedTasks, startLedger } from '../lib/ledger.mjs';
import { newFolder } from '../lib/paths.mjs';
import { rateText, underLoad } from '../lib/throughput.mjs';
import { rpc, rpcResult } from '../load/client.mjs';

const connections = 8;
const tasksPerContext = 50;
const sizes = { few: 1_000, many: 100_000 };
const contextsAsked = 20;
const warmUpSeconds = 2;

const allTasks = [rpc('ListTasks', { pageSize: 50 })];
const byContext = Array.from({ length: contextsAsked }, (_, number) =>
  rpc('ListTasks', { pageSize: 50, contextId: contextOf(number) }),
);

/**
 * ListTasks, page one of 50, on a ledger with 100,000 tasks and on one with 1,000.
 * @param {import('./index.mjs').Settings} settings
 */
export async function list({ rounds, seconds }) {
  const few = await ledgerWith(sizes.few);
  const many = await ledgerWith(sizes.many);
  /** @param {import('../lib/processes.mjs').Running} ledger @param {string[]} bodies */
  const lists = (ledger, bodies) =>
    underLoad(ledger, { path: '/a2a/jsonrpc', bodies, connections, expect: rpcResult });
  const all = { few: lists(few, allTasks), many: lists(many, allTasks) };
  const context = { few: lists(few, byContext), many: lists(many, byContext) };
  for (const { few, many } of [all, context]) {
    await few.perSecond(warmUpSeconds);
    await many.perSecond(warmUpSeconds);
  }
  const samples = await interleave(rounds, {
    allOfFew: () => all.few.perSecond(seconds),
    allOfMany: () => all.many.perSecond(seconds),
    contextOfFew: () => context.few.perSecond(seconds),
    contextOfMany: () => context.many.perSecond(seconds),
  });
  await few.stop();
  await many.stop();

  /** @param {string} what @param {typeof all} loads @param {number[]} ofMany @param {number[]} ofFew @returns {import('../lib/report.mjs').Figure} */
  const figureOf = (what, loads, ofMany, ofFew) => ({
    title: `ListTasks (${what}) at 100,000 tasks ÷ at 1,000, 8 connections`,
    value: ratioOf(ofMany, ofFew),
    unit: '',
    better: 'more',
    must: 0.85,
    aim: 0.95,
    detail: `${rateText(ofMany, loads.many)} ÷ ${rateText(ofFew, loads.few)}`,
  });
  const figures = [
    figureOf('all', all, samples.allOfMany, samples.allOfFew),
    figureOf('by context', context, samples.contextOfMany, samples.contextOfFew),
  ];
  return { measure: 'list', samples, figures };
}

/** @param {number} tasks */
async function ledgerWith(tasks) {
  const folder = newFolder('list');
  await seedTasks(folder, { tasks, contexts: tasks / tasksPerContext, life: 'whole', messages: 1 });
  return startLedger(folder);
}
