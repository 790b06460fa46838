import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { seededIntegers } from '../../../processes/support/random.js';
import type { Excuse, Operation } from '../checker/operations.js';
import { Client } from './client.js';
import { HotTasks } from './hot-tasks.js';
import { type Instance, Recorder } from './recorder.js';

/** Something that is done to the store or to an instance, in the middle of everything. */
export interface Fault {
  readonly what: string;
  readonly inject: () => Promise<void>;
  /** A deposed leader wakes up in it: reads and refusals may be old for that moment. */
  readonly isExcuse?: true;
}

export interface HistoryRun {
  readonly instances: () => readonly Instance[];
  /** Clients at work at once. */
  readonly clients: number;
  /** Tasks that they all write to. */
  readonly hotTasks: number;
  /** Operations at least; and it goes on until every fault is over. */
  readonly operations: number;
  /** Each after an equal share of the operations, one after the other. */
  readonly faults: readonly Fault[];
  /** The same seed makes the same choices; their order in time is the machine's. */
  readonly seed: number;
}

export interface Ran {
  readonly operations: readonly Operation[];
  readonly excuses: readonly Excuse[];
}

const inject = async (recorder: Recorder, { faults, operations }: HistoryRun): Promise<Excuse[]> => {
  const excuses: Excuse[] = [];
  const share = operations / (faults.length + 1);
  let next = share;
  for (const fault of faults) {
    await recorder.reached(next);
    const from = performance.now();
    await fault.inject();
    if (fault.isExcuse === true) excuses.push({ from, to: performance.now() });
    next = Math.max(next, recorder.operations.length) + share;
  }
  return excuses;
};

const newMarks = (): (() => string) => {
  const run = randomBytes(8).toString('hex');
  let marked = 0;
  return () => run + (++marked).toString(16).padStart(16, '0');
};

/** Lets clients loose on a few tasks until it is over, and answers everything that was asked and said. */
export const runHistory = async (run: HistoryRun): Promise<Ran> => {
  const contextId = `history-${randomBytes(4).toString('hex')}`;
  const recorder = new Recorder(contextId);
  const hot = new HotTasks(run.hotTasks);
  const mark = newMarks();
  let injecting = true;
  const work = async (number: number): Promise<void> => {
    const choose = seededIntegers(run.seed * 1_000 + number);
    const { instances } = run;
    const client = new Client({ number, recorder, hot, contextId, choose, mark, instances });
    while (injecting || recorder.operations.length < run.operations) await client.step();
  };
  const working = Promise.all(Array.from({ length: run.clients }, (_, number) => work(number)));
  const injected = inject(recorder, run).finally(() => {
    injecting = false;
  });
  const [excuses] = await Promise.all([injected, working]);
  return { operations: recorder.operations, excuses };
};
