import { AgentCard } from '@a2a-js/sdk';
import { agentCard, serveCard } from './card.js';
import { extensionUri } from './extension.js';

const card = agentCard('http://ledger.example', '1.2.3');

it('the card declares what is served, and nothing else', () => {
  expect(JSON.parse(serveCard(card).text)).toMatchObject({
    version: '1.2.3',
    supportedInterfaces: [
      { url: 'http://ledger.example/a2a/jsonrpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [{ uri: extensionUri }],
    },
  });
});

it('the card is the wire form: the codec reads back what it wrote', () => {
  expect(AgentCard.fromJSON(JSON.parse(serveCard(card).text))).toEqual(card);
});

it('the tag changes with the card, and only with it', () => {
  expect(serveCard(agentCard('http://ledger.example', '1.2.3')).etag).toBe(serveCard(card).etag);
  expect(serveCard(agentCard('http://other.example', '1.2.3')).etag).not.toBe(serveCard(card).etag);
  expect(serveCard(card).etag).toMatch(/^"[\w-]+"$/);
});
