import { invalid } from '../errors.js';
import type { CancelTask, ParentInput, SubmitTask } from './commands.js';

// What the events can already say and nothing carries out yet: asking a task to stop, carrying an end down a link,
// deadlines, rehearsals. Refused by name, in this one place, instead of being stored and forgotten.

const refuse = (field: string): never => {
  throw invalid(field, 'is not supported yet');
};

export const assertCancelServed = ({ mode, graceMs, descendantsOnly, dryRun }: CancelTask): void => {
  if (mode === 'cooperative') refuse('mode');
  if (graceMs !== undefined) refuse('graceMs');
  if (descendantsOnly === true) refuse('descendantsOnly');
  if (dryRun === true) refuse('dryRun');
};

/** @param prefix of the field's name where the link is part of a larger input: `parent.` */
export const assertLinkServed = ({ graceMs, onEnd }: ParentInput, prefix: string): void => {
  if (graceMs !== undefined) refuse(`${prefix}graceMs`);
  if (onEnd === 'cascade') refuse(`${prefix}onEnd`);
};

export const assertSubmitServed = ({ deadline }: SubmitTask): void => {
  if (deadline !== undefined) refuse('deadline');
};
