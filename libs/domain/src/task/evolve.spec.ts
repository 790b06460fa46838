import {
  agentMessage,
  artifact,
  artifactRecorded,
  at,
  authRequested,
  cancellationDeclined,
  cancellationRequested,
  canceled,
  completed,
  folded,
  inputRequested,
  message,
  messageRecorded,
  parentAssigned,
  progressed,
  recorded,
  rejected,
  resumed,
  started,
  stopped,
  submitted,
} from '../testing/events.js';
import { change, say } from '../testing/commands.js';
import { refusalOf } from '../testing/given.js';
import { decide } from './decide.js';
import type { RecordedTaskEvent, TaskEvent } from './events.js';
import { evolve, evolveAll } from './evolve.js';
import { flagUnreadable } from './unreadable.js';

describe('a fold', () => {
  it('begins with the submission', () => {
    expect(folded(submitted)).toEqual({
      taskId: 't1',
      contextId: 'c1',
      tenant: 'acme',
      owner: 'alice',
      revision: 0,
      lastEventId: 'event-0',
      createdAt: at(0),
      updatedAt: at(0),
      state: 'submitted',
      statusAt: at(0),
      statusRevision: 0,
      statusHasMessage: false,
      admitted: false,
      rootTaskId: 't1',
      childCount: 0,
      children: [],
      requests: [],
      artifacts: [],
      hasResult: false,
      commands: [],
      bytes: recorded([submitted])[0]?.bytes,
    });
  });

  it('does not touch the task before', () => {
    const before = folded(submitted, started());
    const copy = structuredClone(before);
    const [event] = recorded([artifactRecorded(3, artifact('a', 'x'))], { from: 2 });
    if (event === undefined) throw new Error('no event');
    evolve(before, event);
    expect(before).toEqual(copy);
  });

  it('takes an event that comes again as nothing', () => {
    const events = recorded([submitted, started(), messageRecorded(2, message('x'))]);
    const once = evolveAll(undefined, events);
    expect(evolveAll(once, events)).toBe(once);
  });

  it('is plain JSON', () => {
    const task = folded(submitted, inputRequested(2, 'k'), cancellationRequested());
    expect(JSON.parse(JSON.stringify(task))).toEqual(task);
  });

  it('adds up what the events weigh', () => {
    const events = recorded([submitted, started(), completed()]);
    expect(evolveAll(undefined, events)?.bytes).toBe(events.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  it('keeps messages out of the status', () => {
    expect(folded(submitted, started(1, 'on it'), messageRecorded(2, message('x')))).toMatchObject({
      statusAt: at(1),
      statusRevision: 1,
      statusHasMessage: true,
      updatedAt: at(2),
    });
  });
});

describe('admitted', () => {
  it.each([
    ['nothing more', []],
    ['a message', [messageRecorded(1, message('x'))]],
    ['a rejection', [rejected()]],
  ])('is not said by %s', (_what, events: readonly TaskEvent[]) => {
    expect(folded(submitted, ...events)?.admitted).toBe(false);
  });

  it.each([
    started(),
    inputRequested(),
    artifactRecorded(1, artifact('a', 'x')),
    parentAssigned(1, 'p'),
    canceled(),
    stopped(),
  ])('is said by $type', (event) => {
    expect(folded(submitted, event)?.admitted).toBe(true);
  });
});

describe('a question', () => {
  it('holds token and schema until it is left', () => {
    const asked = folded(submitted, inputRequested(2, 'k'));
    expect(asked).toMatchObject({ state: 'input-required', checkpointToken: 'k' });
    expect(folded(submitted, inputRequested(2, 'k'), resumed())).not.toHaveProperty('checkpointToken');
    expect(folded(submitted, inputRequested(2, 'k'), completed())).not.toHaveProperty('checkpointToken');
  });

  it('is replaced whole by the next one', () => {
    expect(folded(submitted, inputRequested(2, 'k'), authRequested(3))).not.toHaveProperty('checkpointToken');
  });
});

describe('a cancellation that is asked for', () => {
  it('stands open beside a state that stays', () => {
    expect(folded(submitted, started(), cancellationRequested())).toMatchObject({
      state: 'working',
      cancellationId: 'asked',
      openCancellation: { cancellationId: 'asked', requestedAt: at(2), dueAt: at(32), mode: 'cooperative' },
    });
  });

  it.each([cancellationDeclined(), completed()])('is closed by $type', (event) => {
    const task = folded(submitted, started(), cancellationRequested(), event);
    expect(task).not.toHaveProperty('openCancellation');
    expect(task).not.toHaveProperty('cancellationId');
  });
});

describe('the first end stands', () => {
  it.each([completed(), stopped(), resumed(), messageRecorded(10, message('x')), cancellationRequested(10)])(
    'whatever history says after it: $type',
    (late) => {
      const before = folded(submitted, started(), canceled(5));
      const after = folded(submitted, started(), canceled(5), late);
      expect(after).toEqual({
        ...before,
        revision: 3,
        lastEventId: 'event-3',
        updatedAt: after?.updatedAt,
        bytes: after?.bytes,
      });
    },
  );
});

describe('C43 an event that cannot be read', () => {
  const flagged = flagUnreadable(folded(submitted, started()), { revision: 2, type: 'TaskTeleported' });

  it('leaves the task as of the revision before, flagged', () => {
    expect(flagged).toEqual({
      ...folded(submitted, started()),
      unreadable: { revision: 2, type: 'TaskTeleported' },
    });
  });

  it('stops the fold', () => {
    expect(evolveAll(flagged, recorded([completed()], { from: 3 }))).toBe(flagged);
  });

  it('is the first one, when there are several', () => {
    expect(flagUnreadable(flagged, { revision: 5, type: 'Other' })).toBe(flagged);
  });

  it('lets the task take no writes', () => {
    for (const command of [change('completed'), say()]) {
      expect(refusalOf(() => decide(command, flagged))).toMatchObject({
        code: 'task-unreadable',
        detail: { taskId: 't1', revision: 2, type: 'TaskTeleported' },
      });
    }
  });

  it('at the very start still shows a task', () => {
    const origin = { taskId: 't9', id: 'event-0', metadata: { tenant: 'acme', owner: 'alice' } };
    expect(flagUnreadable(undefined, { revision: 0, type: 'TaskSubmitted' }, origin)).toMatchObject({
      taskId: 't9',
      tenant: 'acme',
      owner: 'alice',
      revision: 0,
      lastEventId: 'event-0',
      unreadable: { revision: 0, type: 'TaskSubmitted' },
    });
  });

  it('is also a submission in the middle, or another event at the start', () => {
    expect(folded(submitted, submitted)).toMatchObject({ revision: 0, unreadable: { revision: 1 } });
    expect(folded(started())).toMatchObject({ unreadable: { revision: 0, type: 'TaskStarted' } });
  });

  it('is a type that only a newer version writes', () => {
    const newer = {
      ...recorded([started()], { from: 1 })[0],
      type: 'TaskTeleported',
    } as unknown as RecordedTaskEvent;
    expect(evolve(folded(submitted), newer)).toMatchObject({ unreadable: { type: 'TaskTeleported' } });
  });
});

it('C12 an answer does not change after it was given', () => {
  const given = folded(submitted, started(1, 'on it'));
  const answer = JSON.stringify(given);
  evolveAll(
    given,
    recorded([progressed(3, 'more'), messageRecorded(4, agentMessage('x')), completed()], { from: 2 }),
  );
  expect(JSON.stringify(given)).toBe(answer);
});
