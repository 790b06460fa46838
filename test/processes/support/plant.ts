import { randomUUID } from 'node:crypto';
import { decide, evolve, type Task, type TaskCommand, type TaskEvent } from '#domain';
import type { EventStore, NewEvent } from '#event-store';
import { inParallel } from '../../support/index.js';
import { metadataOf, streamOf } from '../../support/stored-log.js';
import { type PlannedTask, taskIdAt } from './trees.js';

const appendsInFlight = 256;
const eventsPerAppend = 100;

/** Grows a tree in the log of a service that does not run, as the service would have written it; alice owns it. */
export const plantTree = async (
  store: EventStore,
  name: string,
  tree: readonly PlannedTask[],
): Promise<void> => {
  await new Planting(store, name, tree).run();
};

class Planting {
  readonly #tasks: Task[] = [];
  readonly #children: number[][];
  readonly #at = new Date().toISOString();

  constructor(
    private readonly store: EventStore,
    private readonly name: string,
    private readonly tree: readonly PlannedTask[],
  ) {
    this.#children = tree.map(() => []);
    for (const { place, parent } of tree) if (parent !== undefined) this.#children[parent]?.push(place);
  }

  /** A child's own event comes before its parent's, and what ended, ended with its children announced. */
  async run(): Promise<void> {
    await this.#each((planned) => this.#append(planned.place, this.#begin(planned)));
    await this.#each(({ place }) => this.#append(place, this.#announce(place)));
    await this.#each(({ place, life }) =>
      this.#append(place, life === 'completed' ? [this.#complete()] : []),
    );
  }

  async #each(work: (planned: PlannedTask) => Promise<void>): Promise<void> {
    await inParallel(this.tree.length, appendsInFlight, (place) => work(this.tree[place]!));
  }

  #begin({ place, parent, policy, graceMs, life }: PlannedTask): TaskCommand[] {
    const taskId = taskIdAt(this.name, place);
    const above = parent === undefined ? undefined : this.#tasks[parent];
    const submit: TaskCommand = {
      type: 'SubmitTask',
      at: this.#at,
      taskId,
      contextId: this.name,
      ...(above !== undefined && {
        parent: { taskId: above.taskId, policy, ...(graceMs !== undefined && { graceMs }) },
        parentTask: above,
      }),
    };
    return life === 'submitted' ? [submit] : [submit, { type: 'ChangeState', at: this.#at, to: 'working' }];
  }

  #announce(place: number): TaskCommand[] {
    return (this.#children[place] ?? []).map((child) => {
      const { taskId, parent } = this.#tasks[child]!;
      return { type: 'LinkChild', at: this.#at, child: { ...parent!, taskId } };
    });
  }

  #complete(): TaskCommand {
    return { type: 'ChangeState', at: this.#at, to: 'completed' };
  }

  async #append(place: number, commands: readonly TaskCommand[]): Promise<void> {
    const before = this.#tasks[place]?.revision ?? -1;
    const events = commands.flatMap((command) => this.#decide(place, command));
    const stream = streamOf(taskIdAt(this.name, place));
    for (let from = 0; from < events.length; from += eventsPerAppend) {
      const revision = before + from;
      const some = events.slice(from, from + eventsPerAppend);
      await this.store.append(stream, some, revision < 0 ? 'none' : revision);
    }
  }

  #decide(place: number, command: TaskCommand): NewEvent[] {
    return decide(command, this.#tasks[place]).map((event) => this.#store(place, event));
  }

  #store(place: number, event: TaskEvent): NewEvent {
    const taskId = taskIdAt(this.name, place);
    const before = this.#tasks[place];
    const metadata = { ...metadataOf(taskId), $correlationId: taskIdAt(this.name, 0) };
    const id = randomUUID();
    const stored = {
      id,
      type: event.type,
      data: JSON.stringify(event.data),
      metadata: JSON.stringify(metadata),
    };
    const place_ = { revision: (before?.revision ?? -1) + 1, id, metadata, bytes: 0 };
    this.#tasks[place] = evolve(before, { ...event, ...place_ } as Parameters<typeof evolve>[1]);
    return stored;
  }
}
