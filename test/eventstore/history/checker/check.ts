import { Knowledge } from './knowledge.js';
import { logRules } from './log-rules.js';
import type { History, Rule, Violation } from './operations.js';
import { readRules } from './read-rules.js';
import { refusalRules } from './refusal-rules.js';
import { writeRules } from './write-rules.js';

export interface Verdict {
  readonly violations: readonly Violation[];
  /** Old reads and refusals of moments in which a deposed leader woke up. */
  readonly excused: readonly Violation[];
}

/** What a deposed leader can cause, for a moment: it answers from its old log. Nothing it is asked to write is kept. */
const excusable: ReadonlySet<Rule> = new Set(['stale-decision', 'stale-read', 'read-your-writes']);

/**
 * Decides whether every answer fits one order of the log: the log is that order, and each answer must be true of it at
 * a moment between its question and its end. A write without an answer may be there or not, but never twice.
 */
export const check = (history: History): Verdict => {
  const knowledge = new Knowledge(history);
  const all = [
    ...logRules(knowledge),
    ...writeRules(knowledge),
    ...refusalRules(knowledge),
    ...readRules(knowledge),
  ];
  const isExcused = ({ rule, operation }: Violation): boolean =>
    excusable.has(rule) && operation !== undefined && knowledge.isExcused(operation);
  return { violations: all.filter((found) => !isExcused(found)), excused: all.filter(isExcused) };
};
