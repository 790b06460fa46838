import { describe, expect, it } from '@jest/globals';
import { check } from './check.js';
import type {
  Answered,
  History,
  ListOperation,
  LoggedEvent,
  Operation,
  ReadOperation,
  Refusal,
  WriteOperation,
  WriteSaid,
} from './operations.js';

const task = 't1';
const position = (place: number): string => String(place).padStart(20, '0');

const event = (revision: number, type: string, more: Partial<LoggedEvent> = {}): LoggedEvent => ({
  stream: 'task',
  taskId: task,
  revision,
  position: position(10 * (revision + 1)),
  id: `${more.taskId ?? task}-${String(revision)}`,
  type,
  ...(revision === 0 && { contextId: 'hot' }),
  mark: `m${String(revision)}`,
  ...more,
});

const asked = { client: 1, instance: 'a' };

const write = (
  revision: number,
  more: Partial<WriteOperation> & { said?: Partial<WriteSaid> } = {},
): WriteOperation => {
  const { said, ...rest } = more;
  return {
    ...asked,
    kind: 'write',
    deed: revision === 0 ? 'create' : 'message',
    mark: `m${String(revision)}`,
    ...(revision === 0 ? {} : { taskId: task }),
    begin: 10 * revision,
    end: 10 * revision + 5,
    answer: {
      kind: 'done',
      said: {
        taskId: task,
        revision,
        state: 'TASK_STATE_SUBMITTED',
        position: position(10 * (revision + 1)),
        ...said,
      },
    },
    ...rest,
  };
};

const read = (
  revision: number,
  begin: number,
  more: Partial<ReadOperation> & { state?: string; stale?: boolean } = {},
): ReadOperation => {
  const { state = 'TASK_STATE_SUBMITTED', stale = false, ...rest } = more;
  return {
    ...asked,
    client: 2,
    instance: 'b',
    kind: 'read',
    taskId: task,
    begin,
    end: begin + 5,
    answer: { kind: 'done', said: { revision, state, stale } },
    ...rest,
  };
};

const list = (
  as: number,
  rows: readonly (readonly [string, number])[],
  more: Partial<ListOperation> & { stale?: boolean } = {},
): ListOperation => {
  const { stale = false, ...rest } = more;
  return {
    ...asked,
    kind: 'list',
    contextId: 'hot',
    begin: 100,
    end: 105,
    answer: {
      kind: 'done',
      said: {
        position: position(as),
        stale,
        rows: rows.map(([taskId, revision]) => ({ taskId, revision, state: 'TASK_STATE_SUBMITTED' })),
      },
    },
    ...rest,
  };
};

const refused = (refusal: Refusal): Answered<never> => ({ kind: 'refused', refusal });
const unknown: Answered<never> = { kind: 'unknown' };

/** Three events that three clients asked for, one after the other. */
const log = [event(0, 'TaskSubmitted'), event(1, 'MessageRecorded'), event(2, 'MessageRecorded')];
const writes = [write(0), write(1), write(2)];

/** The same, and then the task was completed. */
const endedLog = [...log, event(3, 'TaskCompleted')];
const ending = write(3, { deed: 'transition', to: 'completed', said: { state: 'TASK_STATE_COMPLETED' } });
const ended = [...writes, ending];

const rulesBroken = (history: History): string[] => check(history).violations.map(({ rule }) => rule);
const broken = (events: readonly LoggedEvent[], operations: readonly Operation[]): string[] =>
  rulesBroken({ log: events, operations });

describe('a history that fits its log', () => {
  it('breaks no rule: writes, reads, a page of events and a list as of a position in the middle', () => {
    const events: Operation = {
      ...asked,
      kind: 'events',
      taskId: task,
      begin: 30,
      end: 31,
      answer: { kind: 'done', said: { ids: log.map(({ id }) => id), stale: false } },
    };
    const between = list(20, [[task, 1]], { begin: 16, end: 24 });
    expect(broken(log, [...writes, read(1, 16), read(2, 30), events, between])).toEqual([]);
  });

  it('holds a write without an answer once, or not at all', () => {
    const lost = write(2, { answer: unknown });
    expect(broken(log, [write(0), write(1), lost])).toEqual([]);
    expect(broken(log.slice(0, 2), [write(0), write(1), lost])).toEqual([]);
  });

  it('answers a repeated write as the first time', () => {
    const again = write(1, { begin: 40, end: 45 });
    expect(broken(log, [...writes, again])).toEqual([]);
  });

  it('lets a bare transition change nothing, and under its key change something later', () => {
    const started = [event(0, 'TaskSubmitted'), event(1, 'TaskStarted')];
    const noOp = write(7, {
      deed: 'transition',
      to: 'submitted',
      bare: true,
      begin: 6,
      end: 9,
      said: { revision: 0 },
    });
    const start = write(1, { deed: 'transition', to: 'working', said: { state: 'TASK_STATE_WORKING' } });
    expect(broken(started, [write(0), noOp, start])).toEqual([]);
  });
});

describe('a write that was acknowledged', () => {
  it('must be in the log', () => {
    expect(broken(log.slice(0, 2), writes)).toEqual(['lost-update']);
  });

  it('must not be taken for a no-op when it had something to say', () => {
    const said = { taskId: task, revision: 1, state: 'TASK_STATE_SUBMITTED' };
    const swallowed = write(9, { deed: 'transition', to: 'submitted', answer: { kind: 'done', said } });
    expect(broken(log, [...writes, swallowed])).toEqual(['lost-update']);
  });

  it('must stand there once', () => {
    const twice = [...log, event(3, 'MessageRecorded', { mark: 'm2' })];
    expect(broken(twice, writes)).toContain('doubled-update');
  });

  it('must not be on two tasks', () => {
    const other = event(0, 'TaskSubmitted', { taskId: 't2', mark: 'm0', position: position(99) });
    expect(broken([...log, other], writes)).toContain('doubled-update');
  });

  it('must stand at the revision, the position and in the state it was told', () => {
    expect(broken(log, [write(0), write(1), write(2, { said: { revision: 1 } })])).toContain(
      'wrong-revision',
    );
    expect(broken(log, [write(0), write(1), write(2, { said: { position: position(31) } })])).toEqual([
      'wrong-position',
    ]);
    expect(broken(log, [write(0), write(1), write(2, { said: { state: 'TASK_STATE_WORKING' } })])).toEqual([
      'wrong-state',
    ]);
  });

  it('must stand after what had been answered before it was asked for', () => {
    const early = write(1, { begin: 26, end: 29 });
    expect(broken(log, [write(0), write(2), early])).toEqual(['real-time-order']);
  });

  it('must stand right after the revision it was bound to', () => {
    expect(broken(log, [write(0), write(1), write(2, { ifMatch: 0 })])).toEqual(['wrong-revision']);
  });

  it('must be named by the cancellation that the log names', () => {
    const canceled = [...log, event(3, 'TaskCanceled', { cancellationId: 'c1' })];
    const said = { state: 'TASK_STATE_CANCELED', cancellationId: 'c2' };
    expect(broken(canceled, [...writes, write(3, { deed: 'cancel', said })])).toEqual(['wrong-cancellation']);
  });

  it('must be known to the parent where it makes a child', () => {
    const child = write(0, {
      mark: 'c',
      begin: 30,
      end: 35,
      parentTaskId: task,
      said: { taskId: 't2', position: position(50) },
    });
    const born = event(0, 'TaskSubmitted', { taskId: 't2', mark: 'c', position: position(40) });
    const linked = event(3, 'ChildLinked', { mark: 'c', childTaskId: 't2', position: position(50) });
    expect(broken([...log, born, linked], [...writes, child])).toEqual([]);
    expect(broken([...log, born], [...writes, child])).toEqual(['child-not-linked-once']);
    const again = event(0, 'LateChildLinked', {
      stream: 'late',
      childTaskId: 't2',
      position: position(60),
      id: 'late',
    });
    expect(broken([...log, born, linked, again], [...writes, child])).toContain('child-not-linked-once');
  });
});

describe('a log', () => {
  it('must not move a task on after its end', () => {
    const moved = [...endedLog, event(4, 'MessageRecorded')];
    expect(broken(moved, [...ended, write(4, { said: { state: 'TASK_STATE_COMPLETED' } })])).toEqual([
      'terminal-task-moved',
    ]);
  });

  it('must hold nothing that nobody asked for', () => {
    expect(broken(log, writes.slice(0, 2))).toEqual(['invented-update']);
  });

  it('must have no gap, no second birth and no id twice', () => {
    expect(broken([log[0]!, event(2, 'MessageRecorded', { mark: 'm1' })], [write(0)])).toContain(
      'broken-stream',
    );
    expect(broken([log[0]!, event(1, 'TaskSubmitted')], [write(0), write(1)])).toContain('broken-stream');
    expect(broken([log[0]!, event(1, 'MessageRecorded', { id: 't1-0' })], [write(0), write(1)])).toEqual([
      'doubled-update',
    ]);
  });

  it('must not hold what could not be decided on the state before it', () => {
    const resumed = [event(0, 'TaskSubmitted'), event(1, 'TaskResumed')];
    const resume = write(1, { deed: 'transition', to: 'working', said: { state: 'TASK_STATE_WORKING' } });
    expect(broken(resumed, [write(0), resume])).toEqual(['illegal-transition']);
  });
});

describe('a refusal', () => {
  const refusal = (answer: Refusal, begin: number, more: Partial<WriteOperation> = {}): WriteOperation =>
    write(9, { begin, end: begin + 5, answer: refused(answer), ...more });
  const terminal: Refusal = { code: 'task-is-terminal', state: 'TASK_STATE_COMPLETED', revision: 3 };

  it('must be true at a moment of the call', () => {
    expect(broken(endedLog, [...ended, refusal(terminal, 32)])).toEqual([]);
    expect(broken(endedLog, [...ended, refusal(terminal, 21)])).toEqual(['stale-decision']);
    expect(broken(endedLog, [...ended, refusal({ ...terminal, revision: 2 }, 40)])).toEqual([
      'stale-decision',
    ]);
    expect(broken(endedLog, [...ended, refusal({ ...terminal, state: 'TASK_STATE_FAILED' }, 40)])).toEqual([
      'stale-decision',
    ]);
  });

  it('must not rest on a state that was over when the call began', () => {
    const started = [...log, event(3, 'TaskStarted')];
    const start = write(3, { deed: 'transition', to: 'working', said: { state: 'TASK_STATE_WORKING' } });
    const notAllowed: Refusal = { code: 'transition-not-allowed', from: 'submitted' };
    const again = { deed: 'transition', to: 'canceled' } as const;
    expect(broken(started, [...writes, start, refusal(notAllowed, 32, again)])).toEqual([]);
    expect(broken(started, [...writes, start, refusal(notAllowed, 40, again)])).toEqual(['stale-decision']);
    expect(broken(started, [...writes, start, refusal(notAllowed, 32, { ...again, to: 'failed' })])).toEqual([
      'stale-decision',
    ]);
  });

  it('of another revision must be true too', () => {
    const mismatch: Refusal = { code: 'revision-mismatch', revision: 2 };
    expect(broken(log, [...writes, refusal(mismatch, 30, { ifMatch: 1 })])).toEqual([]);
    expect(broken(log, [...writes, refusal(mismatch, 30, { ifMatch: 2 })])).toEqual(['stale-decision']);
  });

  it('leaves nothing in the log, unless an earlier attempt went without an answer', () => {
    const moved = [...endedLog.slice(0, 3), event(3, 'TaskCompleted'), event(4, 'MessageRecorded')];
    const no = refusal(terminal, 40, { mark: 'm4' });
    expect(broken(moved, [...ended, no])).toContain('refused-yet-written');
    const lost = write(4, { begin: 30, end: 35, answer: unknown });
    expect(broken(moved, [...ended, lost, no])).not.toContain('refused-yet-written');
  });

  it('of any other kind was not to be expected', () => {
    expect(broken(log, [...writes, refusal({ code: 'task-not-found' }, 30)])).toEqual(['unexpected-answer']);
    expect(broken(log, [...writes, refusal({ code: 'internal' }, 30)])).toEqual(['unexpected-answer']);
  });
});

describe('a read', () => {
  it('must show what a write was told before it was asked for, on whatever instance', () => {
    expect(broken(log, [...writes, read(1, 26)])).toEqual(['read-your-writes']);
    expect(broken(log, [...writes, read(1, 24)])).toEqual([]);
  });

  it('must not show less than another had shown', () => {
    const slow = write(2, { end: 90 });
    expect(broken(log, [write(0), write(1), slow, read(2, 30), read(1, 40)])).toEqual(['stale-read']);
  });

  it('may be older where it says so', () => {
    expect(broken(log, [...writes, read(1, 40, { stale: true })])).toEqual([]);
    expect(broken(log, [...writes, read(1, 40, { stale: true, state: 'TASK_STATE_FAILED' })])).toEqual([
      'wrong-state',
    ]);
  });

  it('must show the state that the log has at its revision', () => {
    expect(broken(log, [...writes, read(2, 30, { state: 'TASK_STATE_WORKING' })])).toEqual(['wrong-state']);
    expect(broken(log, [...writes, read(1, 30, { asOf: 1 })])).toEqual([]);
    expect(broken(log, [...writes, read(2, 30, { asOf: 1 })])).toEqual(['wrong-revision']);
  });

  it('must not show what nobody had asked for yet', () => {
    expect(broken(log, [...writes, read(2, 12)])).toEqual(['read-of-the-future']);
  });

  it('of a stream must show its events', () => {
    const events = (ids: readonly string[]): Operation => ({
      ...asked,
      kind: 'events',
      taskId: task,
      begin: 30,
      end: 31,
      answer: { kind: 'done', said: { ids, stale: false } },
    });
    expect(broken(log, [...writes, events(['t1-0', 't1-2'])])).toEqual(['broken-stream']);
    expect(broken(log, [...writes, events(['t1-0', 't1-1'])])).toEqual(['read-your-writes']);
  });

  it('is excused in the moment in which a deposed leader wakes up, and a write is not', () => {
    const excuses = [{ from: 39, to: 41 }];
    const old = check({ log, operations: [...writes, read(1, 40)], excuses });
    expect(old.violations).toEqual([]);
    expect(old.excused.map(({ rule }) => rule)).toEqual(['read-your-writes']);
    expect(rulesBroken({ log, operations: [...writes, read(1, 50)], excuses })).toEqual(['read-your-writes']);
    expect(rulesBroken({ log: log.slice(0, 2), operations: writes, excuses: [{ from: 0, to: 99 }] })).toEqual(
      ['lost-update'],
    );
  });
});

describe('a list', () => {
  it('must show every task as of its position', () => {
    expect(broken(log, [...writes, list(30, [[task, 2]])])).toEqual([]);
    expect(broken(log, [...writes, list(30, [[task, 1]])])).toContain('list-not-as-of-its-position');
    expect(broken(log, [...writes, list(30, [])])).toEqual(['list-not-as-of-its-position']);
  });

  it('must have come as far as was waited for', () => {
    const behind = list(20, [[task, 1]], { instance: 'b', waitFor: position(30) });
    expect(broken(log, [...writes, behind])).toEqual(['list-behind']);
  });

  it('must show what its own instance acknowledged; another may be behind', () => {
    expect(broken(log, [...writes, list(20, [[task, 1]])])).toEqual(['list-behind']);
    expect(broken(log, [...writes, list(20, [[task, 1]], { instance: 'b' })])).toEqual([]);
    expect(broken(log, [...writes, list(20, [[task, 1]], { stale: true })])).toEqual([]);
  });
});
