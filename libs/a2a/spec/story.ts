import type { Message } from '#domain';
import { agent, resultOf, type MemoryLedger, type Told } from './memory-ledger.js';

export interface ShownTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: { readonly state: string; readonly message?: Message; readonly timestamp: string };
  readonly history?: readonly Message[];
  readonly metadata?: object;
  readonly artifacts?: readonly { readonly artifactId: string; readonly parts: readonly object[] }[];
}

let sent = 0;

/** A user's message with an id of its own. */
export const userSays = (text: string, more: Partial<Message> = {}): Message => {
  sent += 1;
  return { messageId: `u${String(sent)}`, role: 'ROLE_USER', parts: [{ text }], ...more };
};

export const agentSays = (text: string): Message => ({
  messageId: `a-${text}`,
  role: 'ROLE_AGENT',
  parts: [{ text }],
});

/** A task that was just sent, with `returnImmediately`. */
export const newTask = async (
  memory: MemoryLedger,
  more: Partial<Message> = {},
  told: Told = {},
): Promise<ShownTask> => {
  const params = { message: userSays('hello', more), configuration: { returnImmediately: true } };
  return resultOf(await memory.call('SendMessage', params, told)).task as ShownTask;
};

export const getTask = async (memory: MemoryLedger, id: string, more: object = {}): Promise<ShownTask> =>
  resultOf(await memory.call('GetTask', { id, ...more })) as unknown as ShownTask;

type Transition = Parameters<MemoryLedger['ledger']['commands']['transition']>[2];

/** The agent moves a task. */
export const moves = async (
  memory: MemoryLedger,
  id: string,
  to: Transition['to'],
  text?: string,
): Promise<void> => {
  const input: Transition = text === undefined ? { to } : { to, message: agentSays(text) };
  await memory.ledger.commands.transition(agent, id, input);
};

/** The agent records a chunk of an artifact. */
export const records = async (
  memory: MemoryLedger,
  id: string,
  artifactId: string,
  text: string,
  options: { append?: boolean; lastChunk?: boolean } = {},
): Promise<void> => {
  await memory.ledger.commands.recordArtifact(agent, id, {
    artifact: { artifactId, parts: [{ text }] },
    ...options,
  });
};

/** Resolves when at least so many watches and waits are open. */
export const watched = async (memory: MemoryLedger, count: number): Promise<void> => {
  while (memory.ledger.live.open < count) await new Promise((resolve) => setImmediate(resolve));
};
