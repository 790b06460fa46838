import fc from 'fast-check';
import { MemoryEventStore } from '#testing';
import type { Ledger, TaskChange } from '../src/index.js';
import { alice, userMessage, worker } from './given.js';
import { CarryingLedger } from './with-saga.js';

const steps = ['say', 'keyed', 'work', 'chunk', 'child', 'cancel', 'lose', 'turn', 'forget', 'read'] as const;
type Step = readonly [(typeof steps)[number], boolean];

const never = () => new AbortController().signal;

/** A task, its child, and what each step does to them, on whichever instance it is told. */
class Given {
  readonly accepted: string[] = [];
  readonly #read = new Map<Ledger, number>();

  constructor(
    readonly store: MemoryEventStore,
    readonly taskId: string,
  ) {}

  async take([step, key]: readonly [Step[0], string], ledger: Ledger): Promise<void> {
    const { taskId } = this;
    const { commands } = ledger;
    const message = userMessage(key, key, { taskId });
    switch (step) {
      case 'say':
        return this.#accept(key, commands.send(alice, { message }));
      case 'keyed':
        return this.#accept(
          'keyed',
          commands.recordMessage(alice, taskId, { message: userMessage('keyed') }, { idempotencyKey: 'k' }),
        );
      case 'work':
        await commands.transition(worker, taskId, { to: 'working' });
        return;
      case 'chunk':
        await commands.recordArtifact(worker, taskId, {
          artifact: { artifactId: key, parts: [{ text: key }] },
        });
        return;
      case 'child':
        await commands.create(alice, { parent: { taskId } });
        return;
      case 'cancel':
        await commands.cancel(alice, taskId, {});
        return;
      case 'lose':
        this.store.faults.loseNextReply();
        return;
      case 'forget':
        ledger.forget();
        return;
      case 'read':
        return this.#readOn(ledger);
      case 'turn':
        await new Promise(setImmediate);
    }
  }

  async #accept(messageId: string, call: Promise<unknown>): Promise<void> {
    await call;
    this.accepted.push(messageId);
  }

  /** What one process has shown it never takes back. */
  async #readOn(ledger: Ledger): Promise<void> {
    const known = this.#read.get(ledger) ?? 0;
    const { revision } = (await ledger.reader.read(alice, this.taskId)).task;
    expect(revision).toBeGreaterThanOrEqual(known);
    this.#read.set(ledger, Math.max(this.#read.get(ledger) ?? 0, revision));
  }
}

const isRefusal = (error: unknown): boolean =>
  ['task-is-terminal', 'unavailable'].includes((error as { code: string }).code);

describe('two instances, each with a saga, in any order of commands, lost answers and evictions', () => {
  it('every accepted message stands once, nothing follows the end, no child outlives a cascade, and both show the log', async () => {
    const stepsOf = fc.array(fc.tuple(fc.constantFrom(...steps), fc.boolean()), {
      minLength: 5,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(stepsOf, async (taken) => {
        const store = new MemoryEventStore();
        const one = await CarryingLedger.on(store, { soleWriter: false });
        const two = await CarryingLedger.on(store, { soleWriter: false });
        const taskId = await one.task();
        const given = new Given(store, taskId);
        const watched: TaskChange[] = [];
        const watching = (async () => {
          for await (const change of two.ledger.live.watch(taskId, -1, never())) watched.push(change);
        })();
        const running = taken.map(async ([step, onOne], index) => {
          for (let turn = 0; turn < index; turn += 1) await Promise.resolve();
          const ledger = (onOne ? one : two).ledger;
          await given.take([step, `m${String(index)}`], ledger).catch((error: unknown) => {
            if (!isRefusal(error)) throw error;
          });
        });
        await Promise.all(running);
        await one.ledger.commands.cancel(alice, taskId, {});
        await watching;
        await one.carried();
        await two.carried();

        const events = await store.readStream(`ledger.task-${taskId}`, { limit: 4_096 });
        expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
        expect(events.findIndex(({ type }) => type === 'TaskCanceled')).toBe(events.length - 1);
        expect(watched.map(({ event }) => event.id)).toEqual(events.map(({ id }) => id));
        const { document, task } = await one.ledger.reader.read(alice, taskId);
        const said = document.messages.map(({ message }) => message.messageId);
        expect(said.filter((id) => !given.accepted.includes(id))).toEqual([]);
        expect([...new Set(given.accepted)].sort()).toEqual([...said].sort());
        expect(await two.ledger.reader.read(alice, taskId)).toEqual({ document, task });
        for (const facts of task.children)
          for (const child of Object.keys(facts.facts)) expect(await two.stateOf(child)).toBe('canceled');
        await one.close();
        await two.close();
      }),
      { numRuns: 20 },
    );
  }, 30_000);
});
