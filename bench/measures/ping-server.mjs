/**
 * A process that hosts the embedded store and answers pings: `node ping-server.mjs <folder>`. `POST /start` lets 128
 * callers append as fast as the store takes it, each an event to a stream of its own; `POST /stop` ends that.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openStore } from '../lib/store.mjs';
import { message } from './bodies.mjs';

const callers = 128;
const store = await openStore(process.argv[2] ?? '');
const data = JSON.stringify({
  at: new Date().toISOString(),
  content: { enc: 'none', body: { message: message() } },
});
const metadata = JSON.stringify({
  tenant: 'default',
  owner: 'anonymous',
  principal: 'anonymous',
  role: 'user',
});
let appending = false;

async function append() {
  while (appending) {
    await store.append(
      `ledger.task-${randomUUID()}`,
      [{ id: randomUUID(), type: 'TaskSubmitted', data, metadata }],
      'none',
    );
    // A caller is a request: it comes back in a later turn of the loop.
    await nextTurn();
  }
}

const server = createServer((request, response) => {
  if (request.url === '/stop') appending = false;
  if (request.url === '/start') {
    appending = true;
    for (let i = 0; i < callers; i += 1) void append();
  }
  response.end('pong');
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the ping server has no port');
  process.stdout.write(`ping ready port=${String(address.port)}\n`);
});
process.on('SIGTERM', () => process.exit(0));
