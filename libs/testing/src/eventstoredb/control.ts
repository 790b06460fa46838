import type { EventStoreDbEmulator } from './emulator.js';
import type { EmulatorFaults } from './faults.js';

/** The faults that another process may ask for. Choosing by a function stays with the emulator's own process. */
export const faultCommands = [
  'swallowReplies',
  'replyTwice',
  'answer',
  'stopAnswering',
  'hang',
  'resume',
  'slowDown',
  'setClockAhead',
  'dropConnections',
  'goAway',
  'comeBack',
  'dropSubscriptions',
  'silenceSubscriptions',
  'resumeSubscriptions',
  'readOldLog',
  'readNewLog',
  'reset',
] as const satisfies readonly (keyof EmulatorFaults)[];

export type FaultCommand = (typeof faultCommands)[number];

/** What a checker needs of an event in the log. */
export interface WrittenEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly id: string;
  readonly type: string;
}

export interface EmulatorState {
  readonly append: number;
  readonly read: number;
  readonly subscribe: number;
  readonly openSubscriptions: number;
  readonly events: number;
}

/** One line in: JSON. `with` are the arguments. */
export interface ControlRequest {
  readonly id: number;
  readonly do: FaultCommand | 'state' | 'events' | 'writeSystemEvent';
  readonly with?: readonly unknown[];
}

/** One line out for each line in. */
export interface ControlReply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

const written = (emulator: EventStoreDbEmulator, from: unknown): readonly WrittenEvent[] =>
  emulator.log.records
    .slice(typeof from === 'number' ? from : 0)
    .map(({ stream, revision, position, id, type }) => ({ stream, revision, position, id, type }));

const isFaultCommand = (command: string): command is FaultCommand =>
  (faultCommands as readonly string[]).includes(command);

const perform = async (emulator: EventStoreDbEmulator, request: ControlRequest): Promise<unknown> => {
  const { do: command, with: given = [] } = request;
  if (command === 'state') {
    const { counts, openSubscriptions, log } = emulator;
    return { ...counts, openSubscriptions, events: log.records.length } satisfies EmulatorState;
  }
  if (command === 'events') return written(emulator, given[0]);
  if (command === 'writeSystemEvent') return emulator.writeSystemEvent().position;
  if (!isFaultCommand(command)) throw new Error(`unknown command: ${String(command)}`);
  // By the types each command takes its own arguments; what comes over a line is checked by nobody.
  const faults = emulator.faults as unknown as Record<FaultCommand, (...given: unknown[]) => unknown>;
  await faults[command](...given);
  return undefined;
};

/** Does what one line asks for; never rejects. */
export const obey = async (emulator: EventStoreDbEmulator, line: string): Promise<ControlReply> => {
  let id = -1;
  try {
    const request = JSON.parse(line) as ControlRequest;
    id = request.id;
    const result = await perform(emulator, request);
    return { id, result };
  } catch (error) {
    return { id, error: String(error) };
  }
};
