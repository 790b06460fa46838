import type { Configuration } from './configuration.js';
import { cancellationMutations } from './mutations/cancellation.js';
import { linkMutations } from './mutations/links.js';
import { orphanMutations } from './mutations/orphans.js';
import { outcomeMutations } from './mutations/outcomes.js';
import { runtimeMutations } from './mutations/runtime.js';
import type { Rules } from './rules.js';

/** One rule taken back, and where that is seen. */
export interface Mutation {
  /** What is the case then. */
  readonly name: string;
  readonly configuration: Omit<Configuration, 'name'>;
  readonly without: (rules: Rules) => Rules;
  /** How the first broken promise begins. */
  readonly breaks: string;
}

export const mutations: readonly Mutation[] = [
  ...linkMutations,
  ...cancellationMutations,
  ...outcomeMutations,
  ...orphanMutations,
  ...runtimeMutations,
];
