import fc from 'fast-check';
import type { CancelInput, Ledger } from '#application';
import { DomainError, type Task } from '#domain';
import { EventStoreError } from '#event-store';
import { Hands, World, type Process, type Terms } from './given.js';
import { LogView } from './log-view.js';
import { DiesAfter } from './stores.js';

/** Tasks are named by when they were made; a number beyond them counts from the first one again. */
export type Deed =
  | { readonly kind: 'create'; readonly parent: number; readonly terms: Terms; readonly works: boolean }
  | { readonly kind: 'adopt'; readonly parent: number; readonly child: number; readonly terms: Terms }
  | { readonly kind: 'move'; readonly task: number; readonly to: 'completed' | 'failed' }
  | { readonly kind: 'stop'; readonly task: number }
  | { readonly kind: 'cancel'; readonly task: number; readonly input: CancelInput };

/** What an agent does that is asked to stop. */
export type Answer = 'declines' | 'acknowledges' | 'completes' | 'is silent';

export interface History {
  /** One after the other, before anything else. */
  readonly planted: readonly Extract<Deed, { kind: 'create' }>[];
  /** One wave after the other; all deeds of a wave at once, each after so many turns. */
  readonly waves: readonly (readonly { readonly turns: number; readonly deed: Deed }[])[];
  /** One after the other, whenever nothing else happens and somebody is asked. */
  readonly answers: readonly Answer[];
  /** The process dies after so many appends, counted from its start. */
  readonly deaths: readonly number[];
}

/** No such task: a root is made. */
const nobody = 100;

const terms: fc.Arbitrary<Terms> = fc.record({
  policy: fc.constantFrom('cascade', 'cascade', 'cooperative', 'abandon'),
  onEnd: fc.constantFrom('abandon', 'cascade'),
});
const create = fc.record({
  kind: fc.constant('create'),
  parent: fc.oneof({ weight: 9, arbitrary: fc.nat(9) }, { weight: 1, arbitrary: fc.constant(nobody) }),
  terms,
  works: fc.boolean(),
});
const cancel = fc.record({
  kind: fc.constant('cancel'),
  task: fc.nat(3),
  input: fc.constantFrom<CancelInput>(
    {},
    {},
    { mode: 'cooperative' },
    { cascade: false },
    { descendantsOnly: true },
  ),
});
const end = fc.oneof(
  fc.record({ kind: fc.constant('move'), task: fc.nat(9), to: fc.constantFrom('completed', 'failed') }),
  fc.record({ kind: fc.constant('stop'), task: fc.nat(9) }),
);
const adopt = fc.record({ kind: fc.constant('adopt'), parent: fc.nat(9), child: fc.nat(9), terms });
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: cancel },
  { weight: 3, arbitrary: create },
  { weight: 3, arbitrary: end },
  { weight: 1, arbitrary: adopt },
);
const wave = fc.array(fc.record({ turns: fc.nat(120), deed }), { minLength: 1, maxLength: 5 });

export const histories: fc.Arbitrary<History> = fc.record({
  planted: fc.array(create, { minLength: 3, maxLength: 7 }),
  waves: fc.array(wave, { minLength: 1, maxLength: 2 }),
  answers: fc.array(fc.constantFrom<Answer>('declines', 'acknowledges', 'completes', 'is silent'), {
    maxLength: 3,
  }),
  deaths: fc.array(fc.nat(16), { maxLength: 2 }),
});

/** Plays a history on one store: the process that dies is followed by another one, until all is quiet. */
export class Play {
  readonly world = new World();
  readonly #names: string[] = [];
  readonly #deaths: number[];
  #process: Promise<Process>;

  constructor(private readonly history: History) {
    this.#deaths = [...history.deaths];
    this.#process = this.#planted();
  }

  async run(): Promise<LogView> {
    await this.#process;
    for (const deeds of this.history.waves) {
      await Promise.all(deeds.map(({ turns, deed: one }) => this.#later(turns, one)));
      await this.#idle();
    }
    return this.#quiet();
  }

  async #planted(): Promise<Process> {
    const process = await this.world.start(this.world.store, { started: false });
    const hands = new Hands(process.ledger);
    for (const one of this.history.planted) await this.#do(hands, one);
    await this.world.stop(process);
    return this.#begin();
  }

  /** The next process; dies, and is followed by yet another one, if it has to. */
  async #begin(): Promise<Process> {
    const appends = this.#deaths.shift();
    if (appends === undefined) return this.world.start();
    const store = new DiesAfter(this.world.store, appends);
    // Opening the ledger itself writes nothing on a log that has begun.
    const process = await this.world.start(store);
    void store.died.then(() => {
      this.#process = this.world.stop(process).then(() => this.#begin());
    });
    return process;
  }

  async #later(turns: number, one: Deed): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    await this.#do(new Hands((await this.#process).ledger), one);
  }

  #do(hands: Hands, one: Deed): Promise<void> {
    return this.#try(() => this.#doOnce(hands, one));
  }

  /** What is refused, or dies with the process, has happened as far as it stands in the log. */
  async #try(attempt: () => Promise<void>): Promise<void> {
    try {
      await attempt();
    } catch (error) {
      if (!(error instanceof DomainError) && !(error instanceof EventStoreError)) throw error;
    }
  }

  async #doOnce(hands: Hands, one: Deed): Promise<void> {
    if (one.kind === 'create') {
      const taskId = await hands.task(this.#named(one.parent), one.terms);
      this.#names.push(taskId);
      if (one.works) await hands.move(taskId, 'working');
      return;
    }
    const taskId = this.#named(one.kind === 'adopt' ? one.child : one.task);
    if (taskId !== undefined) await this.#doTo(hands, taskId, one);
  }

  #named(name: number): string | undefined {
    return name === nobody ? undefined : this.#names[name % Math.max(1, this.#names.length)];
  }

  async #doTo(hands: Hands, taskId: string, one: Exclude<Deed, { kind: 'create' }>): Promise<void> {
    switch (one.kind) {
      case 'adopt': {
        const parent = this.#named(one.parent);
        if (parent !== undefined) await hands.adopt(parent, taskId, one.terms);
        return;
      }
      case 'move':
        return hands.move(taskId, one.to);
      case 'stop':
        return hands.stop(taskId);
      case 'cancel':
        await hands.cancel(taskId, one.input);
    }
  }

  /** Agents answer, then timers run out, until nobody is asked any more. */
  async #quiet(): Promise<LogView> {
    const answers = [...this.history.answers];
    const { tasks: made } = await LogView.of(this.world.store);
    for (;;) {
      const { ledger } = await this.#idle();
      const tasks = await Promise.all([...made.keys()].map((taskId) => ledger.cascade.task(taskId)));
      const asked = tasks.filter((task) => task?.openCancellation !== undefined) as Task[];
      const [first] = asked;
      if (first === undefined) return LogView.of(this.world.store);
      const answer = answers.shift();
      if (answer !== undefined) await this.#try(() => answerOf(new Hands(ledger), first.taskId, answer));
      else await this.#runOut(ledger, asked);
    }
  }

  async #runOut(ledger: Ledger, asked: readonly Task[]): Promise<void> {
    this.world.clock.move(86_400_000);
    for (const { taskId, openCancellation: open } of asked)
      if (open !== undefined)
        await this.#try(() =>
          ledger.cascade.fire(taskId, { kind: 'request', cancellationId: open.cancellationId }),
        );
  }

  /** The process in which nothing happens any more. */
  async #idle(): Promise<Process> {
    for (;;) {
      const running = this.#process;
      const process = await running;
      const { saga, store } = process;
      await Promise.race([saga.idle(), ...(store instanceof DiesAfter ? [store.died] : [])]);
      await Promise.resolve(); // A process that died is replaced in this turn.
      if (running === this.#process) return process;
    }
  }
}

const answerOf = async (hands: Hands, taskId: string, answer: Answer): Promise<void> => {
  switch (answer) {
    case 'declines':
      return hands.decline(taskId);
    case 'acknowledges':
      return hands.move(taskId, 'canceled');
    case 'completes':
      return hands.move(taskId, 'completed');
    case 'is silent':
      return;
  }
};
