import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '#domain';
import { agentMessage, artifact, userMessage } from '../../../support/index.js';
import type { WriteOperation } from '../checker/operations.js';
import type { HotTask, HotTasks } from './hot-tasks.js';
import type { Instance, Recorder, Write } from './recorder.js';

export type Choose = (from: number, to: number) => number;

export interface ClientParts {
  readonly number: number;
  readonly recorder: Recorder;
  readonly hot: HotTasks;
  readonly instances: () => readonly Instance[];
  readonly contextId: string;
  readonly choose: Choose;
  /** A new mark: 32 hexadecimal digits, as a trace id has. */
  readonly mark: () => string;
}

/** A write without an answer is asked for again under its key, so often at most. */
const attemptsMax = 60;
const pauseAfterUnknownMs = 150;
/** Writes that are repeated for no reason, as an impatient client does. */
const keptForRepeats = 20;

const openStates = ['working', 'input-required', 'auth-required'] as const;
/** The open state of this name in the API; working where it is none. */
const openStateIn = (shown: string): string => {
  const name = shown.replace('TASK_STATE_', '').replace('_', '-').toLowerCase();
  return openStates.find((state) => state === name) ?? 'working';
};

const endStates = ['completed', 'failed', 'rejected', 'stopped'] as const;

/** One client: asks for something at random, of any instance, and waits for the answer before it goes on. */
export class Client {
  readonly #written: Write[] = [];
  #newest: string | undefined;

  constructor(private readonly parts: ClientParts) {}

  async step(): Promise<void> {
    const { hot, choose } = this.parts;
    if (hot.takeWanted()) return this.#createHot();
    const task = hot.pick(choose);
    if (task === undefined) await delay(10);
    else await this.#deed(task);
  }

  async #deed(task: HotTask): Promise<void> {
    const { choose } = this.parts;
    const roll = choose(1, 100);
    if (roll <= 18) return this.#readTask(task);
    if (roll <= 22) return this.#readEvents(task);
    if (roll <= 30) return this.#list();
    if (roll <= 37) return this.#repeat();
    if (roll <= 41) return this.#child(task);
    return this.#write(this.#conditioned(this.#report(task, roll), task), task);
  }

  #report(task: HotTask, roll: number): Write {
    if (roll <= 43) return this.#cancel(task);
    if (roll <= 60) return this.#message(task);
    if (roll <= 76) return this.#artifact(task);
    return this.#transition(task);
  }

  /** One write in six is bound to the revision that its client believes in. */
  #conditioned(write: Write, { revision }: HotTask): Write {
    return this.parts.choose(1, 6) === 1 ? { ...write, ifMatch: revision } : write;
  }

  async #createHot(): Promise<void> {
    const { contextId, mark, hot } = this.parts;
    const operation = await this.#untilAnswered({
      deed: 'create',
      mark: mark(),
      path: '/tasks',
      body: { contextId },
    });
    if (operation.answer.kind === 'done') hot.add(operation.answer.said.taskId);
    else hot.giveWanted();
  }

  async #child({ taskId }: HotTask): Promise<void> {
    const body = { contextId: `${this.parts.contextId}-children`, parent: { taskId, policy: 'abandon' } };
    const write = { deed: 'create', mark: this.parts.mark(), path: '/tasks', body } as const;
    await this.#untilAnswered({ ...write, parentTaskId: taskId });
  }

  #message({ taskId }: HotTask): Write {
    const mark = this.parts.mark();
    const message = this.parts.choose(0, 1) === 0 ? userMessage(mark) : agentMessage(mark);
    return this.#onTask('message', mark, taskId, 'messages', { message: { ...message } });
  }

  #artifact({ taskId }: HotTask): Write {
    const mark = this.parts.mark();
    return this.#onTask('artifact', mark, taskId, 'artifacts', {
      artifact: { ...artifact(mark, ['chunk']) },
    });
  }

  #cancel({ taskId }: HotTask): Write {
    const asked = this.parts.choose(0, 1) === 0 ? { mode: 'cooperative', graceMs: 600_000 } : {};
    return this.#onTask('cancel', this.parts.mark(), taskId, 'cancellation', asked);
  }

  /** To an open state as a rule, seldom to an end; some say nothing, some ask for what is never allowed. */
  #transition({ taskId }: HotTask): Write {
    const { choose } = this.parts;
    const mark = this.parts.mark();
    const roll = choose(1, 20);
    if (roll <= 2) return { ...this.#moves(taskId, mark, 'canceled', {}), bare: true };
    const to = roll === 3 ? endStates[choose(0, 3)]! : openStates[choose(0, 2)]!;
    if (roll <= 9 && roll > 3) return { ...this.#moves(taskId, mark, to, {}), bare: true };
    return this.#moves(taskId, mark, to, {
      message: { ...agentMessage(mark) },
      ...(to === 'stopped' && { stoppedBy: 'operator' }),
      ...(to === 'completed' && { result: mark }),
    });
  }

  #moves(taskId: string, mark: string, to: string, more: JsonObject): Write {
    return { ...this.#onTask('transition', mark, taskId, 'transitions', { to, ...more }), to };
  }

  #onTask(deed: Write['deed'], mark: string, taskId: string, path: string, body: JsonObject): Write {
    return { deed, mark, taskId, path: `/tasks/${taskId}/${path}`, body };
  }

  async #write(write: Write, task: HotTask): Promise<void> {
    const { state: before } = task;
    const { answer, instance } = await this.#untilAnswered(write);
    if (answer.kind !== 'done') return;
    const { revision, state } = answer.said;
    this.parts.hot.told(task, revision, state);
    if (this.parts.choose(1, 2) === 1) await this.#askAnother(instance, task, { revision, before });
  }

  /**
   * What one instance has just acknowledged is asked of another, which may not have heard of it: it must neither
   * refuse what is bound to the new revision nor believe that the state is still the old one.
   */
  async #askAnother(
    told: string,
    task: HotTask,
    { revision, before }: { readonly revision: number; readonly before: string },
  ): Promise<void> {
    const { recorder, number, choose, instances } = this.parts;
    const { taskId } = task;
    const another = instances().find(({ name }) => name !== told) ?? this.#anyInstance();
    const roll = choose(1, 3);
    if (roll === 1) {
      await recorder.read(number, another, taskId);
      return;
    }
    const write =
      roll === 2
        ? { ...this.#message(task), ifMatch: revision }
        : { ...this.#moves(taskId, this.parts.mark(), openStateIn(before), {}), bare: true as const };
    await this.#untilAnswered(write, another);
  }

  /** Asks again under the same key where no answer came, of whatever instance is there. */
  async #untilAnswered(write: Write, first: Instance = this.#anyInstance()): Promise<WriteOperation> {
    const { recorder, number } = this.parts;
    for (let attempt = 1; ; attempt++) {
      const instance = attempt === 1 ? first : this.#anyInstance();
      const operation = await recorder.write(number, instance, write);
      if (operation.answer.kind !== 'unknown' || attempt === attemptsMax) return this.#keep(write, operation);
      await delay(pauseAfterUnknownMs);
    }
  }

  #keep(write: Write, operation: WriteOperation): WriteOperation {
    if (operation.answer.kind !== 'done') return operation;
    this.#newest = operation.answer.said.position ?? this.#newest;
    this.#written.push(write);
    if (this.#written.length > keptForRepeats) this.#written.shift();
    return operation;
  }

  async #repeat(): Promise<void> {
    const write = this.#written[this.parts.choose(0, this.#written.length - 1)];
    if (write === undefined) return;
    await this.parts.recorder.write(this.parts.number, this.#anyInstance(), write);
  }

  async #readTask(task: HotTask): Promise<void> {
    const { recorder, number, choose } = this.parts;
    const asOf = choose(1, 4) === 1 ? choose(0, task.revision) : undefined;
    const { answer } = await recorder.read(number, this.#anyInstance(), task.taskId, asOf);
    if (answer.kind === 'done') this.parts.hot.told(task, answer.said.revision, answer.said.state);
    else if (answer.kind === 'unknown') await delay(pauseAfterUnknownMs);
  }

  async #readEvents({ taskId }: HotTask): Promise<void> {
    await this.parts.recorder.events(this.parts.number, this.#anyInstance(), taskId);
  }

  /** Half of the lists wait for the newest position that this client was told, of whatever instance. */
  async #list(): Promise<void> {
    const waitFor = this.parts.choose(0, 1) === 0 ? this.#newest : undefined;
    await this.parts.recorder.list(this.parts.number, this.#anyInstance(), waitFor);
  }

  #anyInstance(): Instance {
    const instances = this.parts.instances();
    const instance = instances[this.parts.choose(0, instances.length - 1)];
    if (instance === undefined) throw new Error('a history needs an instance');
    return instance;
  }
}
