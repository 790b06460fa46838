import {
  authorityFiles,
  loopbackIdentity,
  startEventStoreDbEmulator,
  type EventStoreDbEmulator,
} from '../index.js';
import { EmulatorClient } from './emulator-client.js';

let emulator: EventStoreDbEmulator;

beforeAll(async () => {
  emulator = await startEventStoreDbEmulator({
    tls: loopbackIdentity(),
    credentials: [{ username: 'admin', password: 'changeit' }],
  });
});
afterAll(() => emulator.stop());

const read = async (user: string, options: string): Promise<string> => {
  const client = new EmulatorClient(`esdb://${user}localhost:${String(emulator.port)}?${options}`);
  const answer = await client.read('nothing');
  await client.dispose();
  return answer;
};

const trusting = `tlsCAFile=${authorityFiles.known}`;

describe('an emulator that wants to know who asks', () => {
  it('answers who has the password', async () => {
    expect(await read('admin:changeit@', trusting)).toBe('refused: stream-not-found: nothing not found');
  });

  it('refuses a wrong password, and none', async () => {
    expect(await read('admin:wrong@', trusting)).toMatch(/^refused: access-denied: 16 UNAUTHENTICATED/);
    expect(await read('', trusting)).toMatch(/^refused: access-denied: 7 PERMISSION_DENIED/);
  });

  it('is not talked to by who does not know its authority', async () => {
    expect(await read('', `tlsCAFile=${authorityFiles.unrelated}`)).toMatch(/certificate/);
  });

  it('does not understand plain text', async () => {
    expect(await read('', 'tls=false')).toMatch(/^refused: /);
  });
});
