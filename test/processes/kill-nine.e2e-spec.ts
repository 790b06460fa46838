import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  al2,
  alice,
  isConnectionLost,
  LedgerApi,
  type LedgerService,
  mismatches,
  type Replay,
  textsOf,
  useService,
  type WireTask,
  workerAgent,
} from '../support/index.js';

/** On two services side by side. */
const rounds = 6;
const lanes = 10;
/** Ten lanes, one write each 20 ms: 500 writes a second, as long as the service keeps up. */
const laneIntervalMs = 20;
const artifactId = 'a1';
/** A liveness limit for a busy machine; a minute on an idle one. */
const heavyLimitMs = 600_000;

/** One agent writing chunks to a task of its own, and what it knows of them. */
interface Lane {
  readonly taskId: string;
  readonly acknowledged: string[];
  /** Sent, and no answer came. */
  readonly unknown: string[];
  revision: number;
}

const acknowledgedBy = (running: readonly Lane[]): number =>
  running.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);

/** Something to wait for. */
class Signal {
  give: () => void = () => undefined;
  readonly given = new Promise<void>((resolve) => {
    this.give = resolve;
  });
}

/** Rounds of writing, kill -9 and looking again, on one service. */
class Rounds {
  readonly #user: LedgerApi;
  readonly #agent: LedgerApi;
  readonly #lanes: Lane[] = [];

  constructor(private readonly service: LedgerService) {
    this.#user = new LedgerApi(service, alice);
    this.#agent = new LedgerApi(service, workerAgent);
  }

  async run(count: number): Promise<void> {
    let kept: { taskId: string; replay: Replay } | undefined;
    for (let round = 0; round < count; round++) {
      const running = await Promise.all(Array.from({ length: lanes }, () => this.#openLane()));
      this.#lanes.push(...running);
      const { writing, taskId, revision } = await this.#writeALot(running);
      const query = `revision=${String(revision)}`;
      const replay = (await this.#agent.replay(taskId, query)).body;
      await this.service.kill();
      await writing;
      await this.service.start();

      expect((await this.#agent.replay(taskId, query)).body).toEqual(replay);
      if (kept !== undefined) expect((await this.#agent.replay(kept.taskId)).body).toEqual(kept.replay);
      await Promise.all(running.map((lane) => this.#expectWhole(lane)));
      kept = { taskId, replay: (await this.#agent.replay(taskId)).body };
    }
    await this.#expectAllTold();
  }

  /** Writing goes on when this returns; some writes have been acknowledged, the last one known of `taskId` too. */
  async #writeALot(
    running: readonly Lane[],
  ): Promise<{ writing: Promise<unknown>; taskId: string; revision: number }> {
    const killAfter = randomInt(lanes, 15 * lanes);
    const enough = new Signal();
    const afterEach = (): void => {
      if (acknowledgedBy(running) >= killAfter) enough.give();
    };
    const writing = Promise.all(running.map((lane) => this.#writeUntilGone(lane, afterEach)));
    await Promise.race([enough.given, writing]);
    const first = running.find(({ revision }) => revision > 0);
    if (first === undefined) throw new Error('nothing was written');
    return { writing, taskId: first.taskId, revision: first.revision };
  }

  /** Writes until no answer comes: the process is gone. */
  async #writeUntilGone(lane: Lane, afterEach: () => void): Promise<void> {
    for (;;) {
      const text = randomUUID();
      const pause = delay(laneIntervalMs);
      try {
        const answer = await this.#write(lane, text);
        if (answer.status !== 200) throw new Error(`unexpected ${String(answer.status)} ${answer.text}`);
        lane.acknowledged.push(text);
        lane.revision = answer.body.revision;
        afterEach();
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
        lane.unknown.push(text);
        return;
      }
      await pause;
    }
  }

  #write(lane: Lane, text: string): ReturnType<LedgerApi['record']> {
    const chunk = { artifact: { artifactId, parts: [{ text }] }, append: lane.revision > 0 };
    return this.#agent.record(lane.taskId, chunk, { 'Idempotency-Key': text });
  }

  async #openLane(): Promise<Lane> {
    const { taskId } = (await this.#user.create({ contextId: 'kill' })).body;
    return { taskId, acknowledged: [], unknown: [], revision: 0 };
  }

  async #stored(lane: Lane): Promise<unknown[]> {
    const { artifacts } = (await this.#agent.replay(lane.taskId)).body.task;
    return textsOf(artifacts?.find((artifact) => artifact.artifactId === artifactId)?.parts);
  }

  /** What was acknowledged is there, in order; what was not is there once or not at all, and once after a retry. */
  async #expectWhole(lane: Lane): Promise<void> {
    const texts = await this.#stored(lane);
    const possible = [...lane.acknowledged, ...lane.unknown];
    expect(texts.slice(0, lane.acknowledged.length)).toEqual(lane.acknowledged);
    expect(texts).toEqual(possible.slice(0, texts.length));
    for (const text of lane.unknown) expect((await this.#write(lane, text)).status).toBe(200);
    expect(await this.#stored(lane)).toEqual(possible);
    const recorded = (await this.#agent.eventTypes(lane.taskId)).filter(
      (type) => type === 'ArtifactRecorded',
    );
    expect(recorded).toHaveLength(possible.length);
  }

  /** Views and log agree, and every task is listed once, with what was written to it. */
  async #expectAllTold(): Promise<void> {
    const operator = new LedgerApi(this.service, al2);
    expect(await mismatches(operator)).toEqual([]);
    const { totalSize } = (await operator.rows('contextId=kill&pageSize=1')).body;
    expect(totalSize).toBe(this.#lanes.length);
    for (const lane of this.#lanes) {
      const task = (await this.#agent.as(lane.taskId, 'a2a-1.0')).body.value as unknown as WireTask;
      expect(textsOf(task.artifacts?.[0]?.parts)).toEqual([...lane.acknowledged, ...lane.unknown]);
    }
  }
}

describe('kill -9 during 500 writes a second', () => {
  const services = [useService(), useService()];

  it(
    `${String(rounds)} rounds: nothing acknowledged is lost, nothing doubled, replay before and after is equal`,
    async () => {
      await Promise.all(services.map((service) => new Rounds(service).run(rounds / services.length)));
    },
    heavyLimitMs,
  );
});
