import { createHash } from 'node:crypto';
import { AgentCard as CardCodec, type AgentCard } from '@a2a-js/sdk';
import { extensionUri } from './extension.js';

const extension = {
  uri: extensionUri,
  description:
    'Idempotency keys for messages and cancellations; options of a cancellation (reason, mode, graceMs, cascade) ' +
    'in the metadata of CancelTask.',
  required: false,
};

const skill = {
  id: 'record-tasks',
  name: 'Record tasks',
  description:
    'Keeps the durable truth about tasks: every transition, artifact and cancellation is an event.',
  tags: ['tasks', 'ledger', 'audit'],
};

/** The agent card (specification §4.4.1). `publicUrl`: base address without a trailing slash. */
export const agentCard = (publicUrl: string, version: string): AgentCard =>
  CardCodec.fromJSON({
    name: 'Task ledger',
    description: 'An event-sourced ledger of agent tasks that can be replayed and audited.',
    version,
    supportedInterfaces: [
      { url: `${publicUrl}/a2a/jsonrpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [extension],
    },
    defaultInputModes: ['text/plain', 'application/json', 'application/octet-stream'],
    defaultOutputModes: ['text/plain', 'application/json', 'application/octet-stream'],
    skills: [skill],
  });

/** Seconds that a card may be used without asking again (specification §8.6.1). */
export const cardMaxAgeSeconds = 300;

export interface ServedCard {
  readonly text: string;
  /** Quoted, strong: the same card has the same tag. */
  readonly etag: string;
}

/** The card in ProtoJSON, through the SDK's codec: its plain JSON is not the wire form. */
export const serveCard = (card: AgentCard): ServedCard => {
  const text = JSON.stringify(CardCodec.toJSON(card));
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  return { text, etag };
};
