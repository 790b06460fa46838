import type { EventStoreDbEmulator } from './emulator.js';
import type { EmulatorOptions } from './options.js';

export type { EventStoreDbEmulator } from './emulator.js';
export type { CallCounts } from './context.js';
export type {
  AnswerInstead,
  CallKind,
  EmulatorFaults,
  SeenAppend,
  SubscriptionEnd,
  Which,
  Whom,
} from './faults.js';
export type { EmulatorState, FaultCommand, WrittenEvent } from './control.js';
export { authorityFiles, loopbackIdentity } from './identity.js';
export { EmulatorProcess, startEmulatorProcess } from './process.js';
export type { EventLog, LogRecord } from './log.js';
export type {
  ClientPackage,
  Credentials,
  EmulatorLimits,
  EmulatorOptions,
  ServerVersion,
  TlsIdentity,
} from './options.js';

/**
 * Starts an EventStoreDB emulator in this process, on loopback. It speaks the generated code of one client package:
 * the other package must not be loaded into this process.
 *
 * @throws Error when the port is taken or the package is not installed.
 */
export const startEventStoreDbEmulator = async (
  options: EmulatorOptions = {},
): Promise<EventStoreDbEmulator> => {
  // Who only wants another helper of this lib is spared the gRPC server.
  const { EventStoreDbEmulator: Emulator } = await import('./emulator.js');
  return new Emulator(options).start();
};
