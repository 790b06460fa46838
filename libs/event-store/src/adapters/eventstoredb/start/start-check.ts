import { StoreUnavailableError } from '../../../errors.js';
import { classify } from '../calls/classify.js';
import type { CallingClient } from '../client/clients.js';
import type { ConnectionSettings } from '../settings/connection-string.js';
import { EventStoreSettingError } from '../settings/setting-error.js';
import { reach, type Reached } from './reachability.js';

/**
 * One cheap call, and when it fails a look at why: what an operator has to put right ends the start, a database that is
 * not there yet does not.
 * @throws EventStoreSettingError, StoreUnavailableError
 */
export const checkStart = async (
  client: CallingClient,
  settings: ConnectionSettings,
  milliseconds: number,
): Promise<void> => {
  const call = client.driver.readAll({ direction: 'backwards', from: 'end', limit: 1 });
  const began = performance.now();
  try {
    await client.calls.wait('read', call.answer, milliseconds);
  } catch (error) {
    const facts = {
      kind: 'read',
      elapsed: performance.now() - began,
      wireDeadline: settings.wireDeadline,
    } as const;
    const { kind, reason } = classify(error, facts);
    if (kind === 'access-denied') throw denied(settings);
    const mistake = await findMistake(settings, milliseconds);
    if (mistake !== undefined) throw new EventStoreSettingError(mistake);
    throw new StoreUnavailableError(`${settings.forLogs} does not answer yet: ${reason}`, { cause: error });
  } finally {
    call.cancel();
  }
};

const denied = ({ user, forLogs }: ConnectionSettings): EventStoreSettingError =>
  new EventStoreSettingError(
    user === undefined
      ? `${forLogs} asks for user and password: give them before the @`
      : `${forLogs} denies access to user ${user}: wrong password, or not allowed to read $all`,
  );

/** A mistake at any host is one: the client may be sent to each of them. */
const findMistake = async (
  settings: ConnectionSettings,
  milliseconds: number,
): Promise<string | undefined> => {
  const reached = await Promise.all(settings.hosts.map((host) => reach(host, settings, milliseconds)));
  return reached.find((one): one is Reached & { kind: 'mistake' } => one.kind === 'mistake')?.reason;
};
