import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { al2, eventually, httpRequest, isConnectionLost, LedgerApi, useService } from '../support/index.js';
import { withLog } from '../support/stored-log.js';
import {
  certificateTypes,
  expectedOutcomes,
  LogFile,
  type LoggedEvent,
  mixedTree,
  plantTree,
  portableCertificate,
  seededIntegers,
  settledCertificate,
  taskIdAt,
  typesByPlace,
} from './support/index.js';

const rounds = 6;
const descendants = 2_000;
/** `LEDGER_TEST_SEED` repeats a run. */
const seed = Number(process.env.LEDGER_TEST_SEED ?? Date.now() % 1_000_000);
/** A liveness limit for a busy machine; a minute and a half on an idle one. */
const heavyLimitMs = 900_000;

/** It reads the whole log again. */
const idleLimitMs = 300_000;

const tree = mixedTree(descendants);
const outcomes = expectedOutcomes(tree);
/** Events that a cascade writes to the tasks, its root's included: an asked one gets two. */
const taskEvents =
  outcomes.filter((outcome) => outcome === 'canceled').length +
  2 * outcomes.filter((outcome) => outcome === 'forced').length;
const terminalTypes = ['TaskCompleted', 'TaskFailed', 'TaskRejected', 'TaskCanceled', 'TaskStopped'];

/** What a cascade has left behind, but for its times and its random ids. */
interface Traces {
  readonly certificate: object;
  readonly taskTypes: Readonly<Record<string, readonly string[]>>;
  readonly certificateTypes: Readonly<Record<string, number>>;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Cascades over trees of one shape, one tree each, on one service. */
class Cascades {
  readonly service = useService();
  readonly log = new LogFile(this.service);
  readonly #operator = new LedgerApi(this.service, al2);

  /** The service runs already, on an empty log. */
  async plant(names: readonly string[]): Promise<void> {
    await this.service.terminate();
    await withLog(this.service.directory, async (store) => {
      for (const name of names) await plantTree(store, name, tree);
    });
    await this.service.start();
  }

  async undisturbed(name: string): Promise<Traces> {
    const before = this.log.newest();
    await this.#cancel(name);
    return this.#traces(name, before);
  }

  /** Whether the cascade was still under way when the process was killed. */
  async killedAfter(name: string, events: number, expected: Traces): Promise<boolean> {
    const before = this.log.newest();
    const asking = this.#cancel(name).catch((error: unknown) => {
      if (!isConnectionLost(error)) throw error;
    });
    await this.log.reaches(before + events);
    await this.service.kill();
    await asking;
    const isCut = !this.log.since(before).some(({ type }) => type === 'CancellationSettled');
    await this.service.start();
    expect(await this.#traces(name, before)).toEqual(expected);
    return isCut;
  }

  /** Ends the process, throws away what the saga remembers, and starts it again. */
  async loseSagaState(): Promise<void> {
    await this.service.terminate();
    for (const suffix of ['', '-wal', '-shm'])
      await rm(join(this.service.directory, `state.db${suffix}`), { force: suffix !== '' });
    await this.service.start();
  }

  /** Every event is taken up, and nothing is left to be done. */
  async sagaIsIdle(): Promise<void> {
    const names = ['ledger_saga_lag_events', 'ledger_saga_open_triggers', 'ledger_saga_appends_in_flight'];
    const idle = async (): Promise<true | undefined> => {
      const { text } = await httpRequest(`${this.service.url}/metrics`);
      return names.every((name) => new RegExp(`^${name} 0$`, 'm').test(text)) ? true : undefined;
    };
    await eventually('a saga that is idle', idle, idleLimitMs);
  }

  #cancel(name: string) {
    return this.#operator.cancel(taskIdAt(name, 0), { reason: 'the budget is spent' });
  }

  /** When the cascade has settled; only its own events stand after `before`. */
  async #traces(name: string, before: number): Promise<Traces> {
    const [first] = this.log.since(before);
    const cancellationId = textOf(first?.data.cancellationId);
    const certificate = await settledCertificate(this.#operator, cancellationId);
    const events = this.log.since(before);
    expectOneRootEvent(name, events);
    return {
      certificate: portableCertificate(name, certificate),
      taskTypes: typesByPlace(name, events),
      certificateTypes: certificateTypes(events),
    };
  }
}

const expectOneRootEvent = (name: string, events: readonly LoggedEvent[]): void => {
  const roots = events.filter(({ data }) => data.stoppedBy === 'user');
  expect(roots.map(({ stream }) => stream)).toEqual([expect.stringContaining(taskIdAt(name, 0))]);
};

const withOutcome = (certificate: object): readonly unknown[] => {
  const found: unknown[] = Array.from({ length: tree.length }, () => undefined);
  const { nodes } = certificate as { nodes: readonly { place: string; outcome: string }[] };
  for (const { place, outcome } of nodes) found[Number(place)] = outcome;
  return found;
};

describe('kill -9 in the middle of a cascade', () => {
  const lanes = [new Cascades(), new Cascades()];
  const nameOf = (round: number): string => `round-${String(round).padStart(2, '0')}`;
  let expected: Traces;

  beforeAll(async () => {
    const roundsOf = (lane: number): readonly string[] =>
      Array.from({ length: rounds / lanes.length }, (_, index) => nameOf(index * lanes.length + lane));
    await Promise.all(
      lanes.map((lane, number) => lane.plant([...roundsOf(number), `undisturbed-${String(number)}`])),
    );
    [expected] = (await Promise.all(
      lanes.map((lane, number) => lane.undisturbed(`undisturbed-${String(number)}`)),
    )) as [Traces, Traces];
  }, heavyLimitMs);

  it('undisturbed, a cascade ends every task that its links carry it to, each once', () => {
    expect(withOutcome(expected.certificate)).toEqual(outcomes);
    const ended = outcomes.flatMap((outcome, place) =>
      outcome === 'canceled' || outcome === 'forced' ? [taskIdAt('', place).slice(1)] : [],
    );
    expect(Object.keys(expected.taskTypes).sort()).toEqual(ended);
    const endsOnce = (types: readonly string[]): boolean =>
      types.findIndex((type) => terminalTypes.includes(type)) === types.length - 1;
    expect(Object.values(expected.taskTypes).filter((types) => !endsOnce(types))).toEqual([]);
    expect(expected.certificateTypes).toEqual({ CancellationOpened: 1, CancellationSettled: 1 });
  });

  it(
    `${String(rounds)} rounds: killed after any of its events, it is completed by the next process, and tells the same`,
    async () => {
      const integer = seededIntegers(seed);
      const after = Array.from({ length: rounds }, () => integer(1, taskEvents));
      const inLane = async (lane: Cascades, number: number): Promise<number> => {
        let cut = 0;
        for (let round = number; round < rounds; round += lanes.length)
          if (await lane.killedAfter(nameOf(round), after[round]!, expected)) cut += 1;
        return cut;
      };
      const cuts = await Promise.all(lanes.map(inLane)).catch((error: unknown) => {
        throw new Error(`LEDGER_TEST_SEED=${String(seed)}, killed after ${after.join(', ')}`, {
          cause: error,
        });
      });
      // A process that is always killed too late proves nothing.
      expect(cuts.reduce((sum, cut) => sum + cut)).toBeGreaterThan(rounds / 2);
    },
    heavyLimitMs,
  );

  it(
    'a saga that has lost its state begins at 0, finds everything done and appends nothing',
    async () => {
      await Promise.all(
        lanes.map(async (lane) => {
          await lane.sagaIsIdle();
          const before = lane.log.newest();
          await lane.loseSagaState();
          await lane.sagaIsIdle();
          expect(lane.log.since(before)).toEqual([]);
        }),
      );
    },
    heavyLimitMs,
  );
});
