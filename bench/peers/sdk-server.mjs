/**
 * The server of `@a2a-js/sdk`, as its users write it: Express, DefaultRequestHandler, and an agent that publishes the
 * new task as submitted and leaves it there. One save a task, which is the same deed as the ledger's SendMessage with
 * returnImmediately.
 *
 * Arguments: `memory`, or `database <file>` (its schema made beforehand by the SDK's own `a2a-db upgrade`): SQLite,
 * WAL, synchronous FULL, as the ledger's own store.
 */
import { TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { DatabaseTaskStore } from '@a2a-js/sdk/server/database';
import { UserBuilder, jsonRpcHandler } from '@a2a-js/sdk/server/express';
import Database from 'better-sqlite3';
import express from 'express';
import { Kysely, SqliteDialect } from 'kysely';

const [kind, file] = process.argv.slice(2);

function databaseStore() {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  return new DatabaseTaskStore(new Kysely({ dialect: new SqliteDialect({ database }) }));
}

/** @type {import('@a2a-js/sdk/server').AgentExecutor} */
const agent = {
  async execute({ taskId, contextId }, bus) {
    const status = {
      state: TaskState.TASK_STATE_SUBMITTED,
      message: undefined,
      timestamp: new Date().toISOString(),
    };
    bus.publish(AgentEvent.task({ id: taskId, contextId, status, artifacts: [], history: [], metadata: {} }));
  },
  async cancelTask(taskId, bus) {
    const status = {
      state: TaskState.TASK_STATE_CANCELED,
      message: undefined,
      timestamp: new Date().toISOString(),
    };
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId: '', status, metadata: undefined }));
    bus.finished();
  },
};

/** @type {import('@a2a-js/sdk').AgentCard} */
const card = {
  name: 'peer',
  description: 'the SDK server that the ledger is measured beside',
  version: '1.0.0',
  provider: undefined,
  supportedInterfaces: [
    { url: 'http://127.0.0.1/', protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
  ],
  capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  signatures: [],
};

const store = kind === 'memory' ? new InMemoryTaskStore() : databaseStore();
const app = express();
app.use(
  '/',
  jsonRpcHandler({
    requestHandler: new DefaultRequestHandler(card, store, agent),
    userBuilder: UserBuilder.noAuthentication,
  }),
);
process.on('SIGTERM', () => process.exit(0));
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the peer has no port');
  process.stdout.write(`sdk ready port=${String(address.port)}\n`);
});
