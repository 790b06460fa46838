import { exec } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(exec);

/**
 * What can be done to the server that `LEDGER_TEST_EVENTSTORE` names, by commands of a shell. Each returns when it is
 * over; those for a cluster begin when it is whole, for one node less has nothing to spare.
 */
const variables = {
  /** kill -9 of a cluster's leader. */
  kill: 'LEDGER_TEST_KILL_LEADER',
  /** SIGSTOP of a cluster's leader for some time, then SIGCONT. */
  hang: 'LEDGER_TEST_HANG_LEADER',
  /** A single node is ended and started again, or stopped for some time. */
  takeAway: 'LEDGER_TEST_TAKE_AWAY',
} as const;

export type Disturbance = keyof typeof variables;

const commandOf = (disturbance: Disturbance): string | undefined => process.env[variables[disturbance]];

/** Why it cannot be done, or undefined. */
export const whyNot = (disturbance: Disturbance): string | undefined =>
  process.env.LEDGER_TEST_EVENTSTORE !== undefined && commandOf(disturbance) !== undefined
    ? undefined
    : `needs LEDGER_TEST_EVENTSTORE (a server) and ${variables[disturbance]} (a command)`;

export const disturb = async (disturbance: Disturbance): Promise<void> => {
  await run(commandOf(disturbance) ?? 'false');
};
