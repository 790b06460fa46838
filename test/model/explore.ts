import { brokenPromises } from './checks.js';
import type { Configuration, Given } from './configuration.js';
import { Handlers } from './handlers.js';
import { announcement, taskAt, taskMove } from './moves.js';
import { realRules, type Rules } from './rules.js';
import { forgetful, sagaSteps } from './sagas.js';
import { keyOf, newSaga, type State, type Step } from './state.js';
import { timerSteps } from './timers.js';
import { taskIdOf, Worlds, type World } from './world.js';

export interface Violation {
  readonly promise: string;
  /** How it comes to be, step by step. */
  readonly steps: readonly string[];
}

export interface Exploration {
  readonly states: number;
  /** States in which nothing is left to do. */
  readonly quiet: number;
  /** Different logs. */
  readonly worlds: number;
  /** Every state was seen. */
  readonly isComplete: boolean;
  readonly violation?: Violation;
}

/** Tasks are given a time each, the smaller number the earlier one. */
const bornAt = (task: number): string => new Date(Date.UTC(2026, 0, 1, 11, 0, task)).toISOString();

const given = (worlds: Worlds, world: World, fact: Given): World => {
  const { decide } = worlds.rules;
  if ('start' in fact) {
    const head = taskAt(world, fact.start);
    const events = decide({ type: 'ChangeState', at: bornAt(fact.start), to: 'working' }, head.fold);
    return worlds.after(world, taskMove(worlds, head, events).heads);
  }
  const { submit, link } = fact;
  const parentTask = link && taskAt(world, link.parent).fold;
  const parent = link && { taskId: taskIdOf(link.parent), policy: link.policy, onEnd: link.onEnd };
  const events = decide(
    {
      type: 'SubmitTask',
      at: bornAt(submit),
      taskId: taskIdOf(submit),
      contextId: 'c',
      ...(parent && { parent }),
      ...(parentTask && { parentTask }),
    },
    undefined,
  );
  const born = worlds.after(world, taskMove(worlds, taskAt(world, submit), events).heads);
  const announced = link && announcement(worlds, born, submit);
  return announced === undefined ? born : worlds.after(born, announced.heads);
};

const beginning = (worlds: Worlds): State => {
  const { configuration } = worlds;
  const world = configuration.given.reduce((before, fact) => given(worlds, before, fact), worlds.empty);
  return {
    world,
    log: [],
    handlers: configuration.handlers.map(() => ''),
    sagas: Array.from({ length: configuration.sagas ?? 1 }, () => newSaga(0)),
    crashes: { saga: configuration.sagaCrashes ?? 0, handler: configuration.handlerCrashes ?? 0 },
  };
};

class Exploring {
  readonly #worlds: Worlds;
  readonly #handlers: Handlers;
  readonly #seen = new Set<string>();
  readonly #came: { readonly from: number; readonly label: string }[] = [];
  #quiet = 0;

  constructor(configuration: Configuration, rules: Rules) {
    this.#worlds = new Worlds(configuration, rules);
    this.#handlers = new Handlers(this.#worlds);
  }

  run(statesMax: number): Exploration {
    let states: { readonly state: State; readonly number: number }[] = [];
    const enter = (state: State, from: number, label: () => string): void => {
      const settled = this.#settled(state);
      const key = keyOf(settled);
      if (this.#seen.has(key)) return;
      this.#seen.add(key);
      states.push({ state: settled, number: this.#came.length });
      this.#came.push({ from, label: label() });
    };
    enter(beginning(this.#worlds), -1, () => '');
    while (states.length > 0) {
      const layer = states;
      states = [];
      for (const { state, number } of layer) {
        const violation = this.#visit(state, number, enter);
        if (violation !== undefined) return this.#result(false, violation);
        if (this.#seen.size > statesMax) return this.#result(false);
      }
    }
    return this.#result(true);
  }

  /** Goes on from a state; answers what it, or a step from it, breaks. */
  #visit(
    state: State,
    number: number,
    enter: (state: State, from: number, label: () => string) => void,
  ): Violation | undefined {
    const [problem] = state.world.problems;
    if (problem !== undefined) return this.#violation(problem, number);
    const steps = this.#steps(state);
    if (!steps.some(({ optional }) => !optional)) {
      this.#quiet += 1;
      const [broken] = brokenPromises(this.#worlds, state.world);
      if (broken !== undefined) return this.#violation(broken, number);
    }
    for (const step of steps) {
      if (step.problem !== undefined) return this.#violation(step.problem, number, step.label());
      enter(step.state, number, step.label);
    }
    return undefined;
  }

  /** What can only be forgotten or given up is, at once: that nobody has done it yet makes no difference. */
  #settled(state: State): State {
    const after = this.#handlers.settled(state);
    const sagas = after.sagas.map((saga) => forgetful(this.#worlds, after.world, saga));
    return sagas.every((saga, index) => saga === after.sagas[index]) ? after : { ...after, sagas };
  }

  #steps(state: State): readonly Step[] {
    return [
      ...state.handlers.flatMap((_, index) => this.#handlers.steps(state, index)),
      ...state.world.tasks.flatMap(({ index }) => timerSteps(this.#worlds, state, index)),
      ...state.sagas.flatMap((_, index) => sagaSteps(this.#worlds, state, index)),
    ];
  }

  #violation(promise: string, number: number, last?: string): Violation {
    const steps = last === undefined ? [] : [last];
    for (let at = this.#came[number]; at !== undefined && at.from >= 0; at = this.#came[at.from])
      steps.unshift(at.label);
    return { promise, steps };
  }

  #result(isComplete: boolean, violation?: Violation): Exploration {
    return {
      states: this.#seen.size,
      quiet: this.#quiet,
      worlds: this.#worlds.count,
      isComplete,
      ...(violation && { violation }),
    };
  }
}

/** States after which an exploration is given up. */
export const statesMaxDefault = 1_000_000;

/** Every interleaving of a configuration, the shortest first; stops at the first promise that is broken. */
export const explore = (
  configuration: Configuration,
  rules: Rules = realRules,
  statesMax: number = statesMaxDefault,
): Exploration => new Exploring(configuration, rules).run(statesMax);
