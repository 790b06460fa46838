import type { CancellationRequest, ParentFacts, RequestedBy, Task, TaskCommand, TaskState } from '#domain';
import { appended, showMove } from './appends.js';
import type { AgentAct, Handler } from './configuration.js';
import {
  announcement,
  cancellationAt,
  cancellationMove,
  commanded,
  now,
  opening,
  scopeAt,
  taskAt,
  type Move,
} from './moves.js';
import type { State, Step } from './state.js';
import { taskIdOf, type World, type Worlds } from './world.js';

/** A handler that has done all it will. */
export const gone = 'gone';
const toAnnounce = 'announce';
const toOpen = 'open';
const toCancel = 'cancel';

const alice: RequestedBy = { principal: 'alice', role: 'user', via: 'ledger-api' };

/** A parent as a handler has read it, by what matters of it. */
type Parents = Map<string, ParentFacts>;

const parentKey = ({ taskId, rootTaskId, end }: Task): string =>
  JSON.stringify(['read', taskId, rootTaskId, end && [end.revision, end.cancellationId]]);

/** What handlers have in mind beside their place in the code. */
export class Handlers {
  readonly #parents: Parents = new Map<string, ParentFacts>();

  constructor(private readonly worlds: Worlds) {}

  /** What one handler may do next. */
  steps(state: State, index: number): readonly Step[] {
    const handler = this.worlds.configuration.handlers[index];
    const mind = state.handlers[index];
    if (handler === undefined || mind === undefined || mind === gone) return [];
    switch (handler.kind) {
      case 'create':
      case 'adopt':
        return this.#linking(state, index, handler, mind);
      case 'cancel':
        return this.#canceling(state, index, handler, mind);
      case 'descendants':
        return this.#descending(state, index, handler);
      case 'agent':
        return this.#acting(state, index, handler, mind);
    }
  }

  /** Whoever finds the last thing done is gone. */
  settled(state: State): State {
    const handlers = state.handlers.map((mind, index) =>
      this.#isDone(state.world, index, mind) ? gone : mind,
    );
    return handlers.every((mind, index) => mind === state.handlers[index]) ? state : { ...state, handlers };
  }

  #isDone(world: World, index: number, mind: string): boolean {
    const handler = this.worlds.configuration.handlers[index];
    if (mind === toAnnounce && handler !== undefined && 'child' in handler)
      return announcement(this.worlds, world, handler.child) === undefined;
    if (mind === toOpen && handler?.kind === 'cancel')
      return cancellationAt(world, this.worlds.cancellation(handler.id)).fold !== undefined;
    return false;
  }

  #becoming(state: State, index: number, mind: string): State {
    return { ...state, handlers: state.handlers.map((one, other) => (other === index ? mind : one)) };
  }

  /** The next append of a handler that has begun; it may vanish instead. */
  #goOn(state: State, index: number, move: Move | undefined, mind: string, label: string): readonly Step[] {
    const steps: Step[] = [];
    if (move !== undefined)
      steps.push({
        state: appended(this.worlds, this.#becoming(state, index, mind), move),
        label: () => `${label}: ${showMove(move)}`,
        optional: false,
      });
    if (state.crashes.handler > 0)
      steps.push({
        state: {
          ...this.#becoming(state, index, gone),
          crashes: { ...state.crashes, handler: state.crashes.handler - 1 },
        },
        label: () => `${label}: vanishes`,
        optional: true,
      });
    return steps;
  }

  #linking(
    state: State,
    index: number,
    handler: Extract<Handler, { kind: 'create' | 'adopt' }>,
    mind: string,
  ): readonly Step[] {
    const label = `${handler.kind} ${taskIdOf(handler.child)} under ${taskIdOf(handler.parent)}`;
    const { world } = state;
    if (mind === toAnnounce)
      return this.#goOn(state, index, announcement(this.worlds, world, handler.child), gone, label);
    if (mind === '') return this.#reading(state, index, handler, label);
    const parent = this.#parents.get(mind);
    const move = parent && this.#linked(world, handler, parent, mind);
    if (move !== undefined) return this.#goOn(state, index, move, toAnnounce, label).slice(0, 1);
    return [{ state: this.#becoming(state, index, gone), label: () => `${label}: refused`, optional: false }];
  }

  #linked(
    world: World,
    handler: Extract<Handler, { kind: 'create' | 'adopt' }>,
    parent: ParentFacts,
    read: string,
  ): Move | undefined {
    const { kind, policy, onEnd, child } = handler;
    return commanded(this.worlds, taskAt(world, child), [kind, policy, onEnd, read].join('/'), () =>
      linkCommand(handler, parent),
    );
  }

  /** What it reads of the parent may be old when it appends. A refusal stands: whoever is refused now will be later. */
  #reading(
    state: State,
    index: number,
    handler: Extract<Handler, { kind: 'create' | 'adopt' }>,
    label: string,
  ): readonly Step[] {
    const parent = taskAt(state.world, handler.parent).fold;
    const child = taskAt(state.world, handler.child).fold;
    if (parent === undefined || (handler.kind === 'adopt' && child === undefined)) return [];
    const read = parentKey(parent);
    const isTaken = this.#linked(state.world, handler, parent, read) !== undefined;
    const key = isTaken ? read : gone;
    if (!this.#parents.has(key)) this.#parents.set(key, parent);
    return [
      {
        state: this.#becoming(state, index, key),
        label: () =>
          `${label}: reads the parent, which is ${parent.state}${isTaken ? '' : ', and is refused'}`,
        optional: true,
      },
    ];
  }

  #canceling(
    state: State,
    index: number,
    handler: Extract<Handler, { kind: 'cancel' }>,
    mind: string,
  ): readonly Step[] {
    const { world } = state;
    const label = `cancel ${taskIdOf(handler.root)} {${handler.id}}`;
    if (mind === toOpen) {
      const scope = scopeAt(this.worlds, world, this.worlds.cancellation(handler.id));
      return this.#goOn(state, index, scope && opening(this.worlds, world, scope), gone, label);
    }
    if (taskAt(world, handler.root).fold === undefined) return [];
    if (!this.worlds.rules.runtime.rootFirst && mind === '') {
      const move = this.#openingOf(world, handler, false);
      return this.#goOn(state, index, move, toCancel, label).map((step) => ({ ...step, optional: true }));
    }
    return [this.#asking(state, index, handler, label)];
  }

  #asking(state: State, index: number, handler: Extract<Handler, { kind: 'cancel' }>, label: string): Step {
    const { id, root, mode, cascade } = handler;
    const move = commanded(this.worlds, taskAt(state.world, root), `cancel/${id}`, () => ({
      type: 'CancelTask',
      at: now,
      cancellationId: id,
      requestedBy: alice,
      mode,
      cascade,
    }));
    if (move === undefined)
      return {
        state: this.#becoming(state, index, gone),
        label: () => `${label}: changes nothing`,
        optional: true,
      };
    const written = writtenRequest(move);
    const isOwn = written?.cancellationId === id;
    const isNarrower = cascade && written?.request.cascade === false;
    return {
      state: appended(this.worlds, this.#becoming(state, index, isOwn ? toOpen : gone), move),
      label: () => `${label}: ${showMove(move)}`,
      optional: true,
      ...(isNarrower && {
        problem: `(1) ${label} is to cascade, and is answered by a request that does not`,
      }),
    };
  }

  #openingOf(world: World, { id, root }: { id: string; root: number }, descendantsOnly: boolean): Move {
    const base = cancellationAt(world, this.worlds.cancellation(id));
    const request: CancellationRequest = { mode: 'immediate', cascade: true, requestedBy: alice };
    const command = {
      type: 'OpenCancellation',
      at: now,
      cancellationId: id,
      rootTaskId: taskIdOf(root),
      requestedAt: now,
      request,
      descendantsOnly,
    } as const;
    return cancellationMove(this.worlds, base, this.worlds.rules.decideCancellation(command, base.fold));
  }

  #descending(
    state: State,
    index: number,
    handler: Extract<Handler, { kind: 'descendants' }>,
  ): readonly Step[] {
    if (taskAt(state.world, handler.root).fold === undefined) return [];
    const move = this.#openingOf(state.world, handler, true);
    const label = `cancel the descendants of ${taskIdOf(handler.root)} {${handler.id}}`;
    return [
      {
        state: appended(this.worlds, this.#becoming(state, index, gone), move),
        label: () => label,
        optional: true,
      },
    ];
  }

  #acting(
    state: State,
    index: number,
    handler: Extract<Handler, { kind: 'agent' }>,
    mind: string,
  ): readonly Step[] {
    const done = mind.split(',');
    return handler.acts
      .filter((act) => !done.includes(act))
      .flatMap((act) => {
        const move = commanded(this.worlds, taskAt(state.world, handler.task), act, () => actCommand(act));
        if (move === undefined) return [];
        return [
          {
            state: appended(this.worlds, this.#becoming(state, index, [...done, act].sort().join()), move),
            label: () => `agent of ${taskIdOf(handler.task)} ${act}s: ${showMove(move)}`,
            optional: true,
          },
        ];
      });
  }
}

const linkCommand = (
  { kind, child, parent, policy, onEnd }: Extract<Handler, { kind: 'create' | 'adopt' }>,
  parentTask: ParentFacts,
): TaskCommand => {
  const offer = { parent: { taskId: taskIdOf(parent), policy, onEnd }, parentTask };
  return kind === 'create'
    ? { type: 'SubmitTask', at: now, taskId: taskIdOf(child), contextId: 'c', ...offer }
    : { type: 'AssignParent', at: now, ...offer };
};

const writtenRequest = ({ heads }: Move) => {
  const event = heads.at(-1)?.event;
  return event?.type === 'TaskCanceled' || event?.type === 'CancellationRequested' ? event.data : undefined;
};

const states: Readonly<Record<Exclude<AgentAct, 'decline'>, TaskState>> = {
  start: 'working',
  complete: 'completed',
  fail: 'failed',
  acknowledge: 'canceled',
};

const actCommand = (act: AgentAct): TaskCommand =>
  act === 'decline'
    ? { type: 'DeclineCancellation', at: now }
    : { type: 'ChangeState', at: now, to: states[act] };
