import { randomUUID } from 'node:crypto';
import { interleave, ratioOf } from '../lib/interleave.mjs';
import { startLedger } from '../lib/ledger.mjs';
import { newFolder } from '../lib/paths.mjs';
import { eventStoreServer, postgresDatabase } from '../lib/stand-ins.mjs';
import { rateText, underLoad } from '../lib/throughput.mjs';
import { rpcResult } from '../load/client.mjs';
import { sendMessageBody } from './bodies.mjs';

const connections = 128;
const warmUpSeconds = 2;

/** Letters and digits, and nobody else's on a server that is kept. */
const freshNamespace = () => `bench${randomUUID().slice(0, 8)}`;

/**
 * SendMessage with returnImmediately on an EventStoreDB, with views and state on PostgreSQL, beside the same on SQLite.
 * @param {import('./index.mjs').Settings} settings
 */
export async function sendPostgres({ rounds, seconds }) {
  const eventStores = [await eventStoreServer(), await eventStoreServer()];
  const database = await postgresDatabase();
  /** @param {number} index @param {Record<string, string>} views */
  const ledgerOn = (index, views) =>
    startLedger(newFolder('send-postgres'), {
      LEDGER_EVENT_STORE: eventStores[index]?.url ?? '',
      LEDGER_NAMESPACE: freshNamespace(),
      ...views,
    });
  try {
    const servers = {
      postgres: await ledgerOn(0, { LEDGER_VIEWS: database.url }),
      sqlite: await ledgerOn(1, {}),
    };
    const load = { path: '/a2a/jsonrpc', bodies: [sendMessageBody], connections, expect: rpcResult };
    const postgres = underLoad(servers.postgres, load);
    const sqlite = underLoad(servers.sqlite, load);
    for (const side of [postgres, sqlite]) await side.perSecond(warmUpSeconds);
    const samples = await interleave(rounds, {
      postgres: () => postgres.perSecond(seconds),
      sqlite: () => sqlite.perSecond(seconds),
    });
    for (const server of Object.values(servers)) await server.stop();
    /** @type {import('../lib/report.mjs').Figure[]} */
    const figures = [
      {
        title: `SendMessage with views on PostgreSQL (${database.name}) ÷ on SQLite, events on ${eventStores[0]?.name ?? ''}, 128 connections`,
        value: ratioOf(samples.postgres, samples.sqlite),
        unit: '',
        better: 'more',
        detail: `${rateText(samples.postgres, postgres)} ÷ ${rateText(samples.sqlite, sqlite)}`,
      },
    ];
    return { measure: 'send-postgres', samples, figures };
  } finally {
    await database.stop();
    for (const server of eventStores) await server.stop();
  }
}
