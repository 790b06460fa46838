import { DomainError, type ErrorCode, type ErrorDetail } from '../errors.js';
import { readTaskEvent } from '../reading/task-event.js';
import type { TaskCommand } from '../task/commands.js';
import { decide } from '../task/decide.js';
import type { TaskEvent } from '../task/events.js';
import { evolveAll } from '../task/evolve.js';
import type { Task } from '../task/state.js';
import { recorded } from './events.js';

/** The error a decision is refused with; a test of a refusal fails when nothing is refused. */
export const refusalOf = (decision: () => unknown): DomainError => {
  try {
    decision();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

const expectRefusal = (decision: () => unknown, code: ErrorCode, detail: ErrorDetail): void => {
  const refusal = refusalOf(decision);
  expect({ code: refusal.code, detail: refusal.detail }).toEqual({
    code,
    detail: expect.objectContaining(detail) as unknown,
  });
};

/** What a store gives back of an event: whatever is decided must be readable for ever. */
const stored = (event: TaskEvent): TaskEvent => {
  const reading = readTaskEvent(event.type, JSON.parse(JSON.stringify(event.data)));
  if (!reading.ok) throw new Error(`${event.type}: ${reading.error}`);
  expect(reading.event).toEqual(event);
  return reading.event;
};

const outcome = (history: readonly TaskEvent[], task: Task | undefined, command: TaskCommand) => {
  const events = () => decide(command, task).map(stored);
  return {
    /** The events that are appended, whole. */
    then: (...expected: readonly TaskEvent[]) => {
      expect(events()).toEqual(expected);
    },
    thenTypes: (...types: readonly string[]) => {
      expect(events().map(({ type }) => type)).toEqual(types);
    },
    thenNothing: () => {
      expect(events()).toEqual([]);
    },
    /** The task as it stands afterwards has these members. */
    thenTask: (expected: Partial<Task>) => {
      const after = evolveAll(task, recorded(events(), { from: history.length }));
      expect(after).toMatchObject(expected);
    },
    thenRefuses: (code: ErrorCode, detail: ErrorDetail = {}) => {
      expectRefusal(events, code, detail);
    },
    /** A bad request, and the field it names. */
    thenRefusesField: (field: string) => {
      expectRefusal(events, 'invalid-request', { field });
    },
  };
};

/** A task with this history, and what a command does to it. */
export const given = (...history: readonly TaskEvent[]) => {
  const task = evolveAll(undefined, recorded(history));
  return { when: (command: TaskCommand) => outcome(history, task, command), task };
};
