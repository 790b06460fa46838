import { plain, type Message } from '../content.js';
import { say } from '../testing/commands.js';
import {
  at,
  cancellationDeclined,
  cancellationRequested,
  canceled,
  completed,
  failed,
  inputRequested,
  message,
  rejected,
  started,
  stopped,
  submitted,
} from '../testing/events.js';
import { given } from '../testing/given.js';

const waiting = [submitted, started(), inputRequested()] as const;

describe('a message', () => {
  it('is recorded and leaves the state to the agent', () => {
    const sent = given(...waiting).when(say(message('this one')));
    sent.then({
      type: 'MessageRecorded',
      data: {
        at: at(20),
        messageId: 'm-this one',
        role: 'ROLE_USER',
        content: plain({ message: message('this one') }),
      },
    });
    sent.thenTask({ state: 'input-required', statusAt: at(2), updatedAt: at(20) });
  });

  it('does not admit a task', () => {
    given(submitted).when(say()).thenTask({ admitted: false });
  });

  it.each([completed(), failed(), rejected(), canceled(), stopped()])('is refused after $type', (end) => {
    given(submitted, end).when(say()).thenRefuses('task-is-terminal', { taskId: 't1', revision: 1 });
  });

  it('is refused for a task that does not exist', () => {
    given().when(say()).thenRefuses('task-not-found');
  });
});

describe('while a cancellation is asked for', () => {
  it('a user gives the task no more to do', () => {
    given(submitted, started(), cancellationRequested())
      .when(say())
      .thenRefuses('cancellation-open', { cancellationId: 'asked', dueAt: at(32) });
  });

  it('the agent may still speak', () => {
    given(submitted, started(), cancellationRequested())
      .when(say(message('wait', { role: 'ROLE_AGENT' })))
      .thenTypes('MessageRecorded');
  });

  it('messages are accepted again after a decline', () => {
    given(submitted, started(), cancellationRequested(), cancellationDeclined())
      .when(say())
      .thenTypes('MessageRecorded');
  });
});

describe('C06 a message that does not belong is refused whole', () => {
  it('to another context', () => {
    given(...waiting)
      .when(say(message('secret', { contextId: 'ctx-of-someone-else' })))
      .thenRefusesField('message.contextId');
  });

  it('to another task', () => {
    given(...waiting)
      .when(say(message('secret', { taskId: 't2' })))
      .thenRefusesField('message.taskId');
  });

  it('and accepted where it names its own task and context, or leaves them empty', () => {
    given(...waiting)
      .when(say(message('x', { contextId: 'c1', taskId: 't1' })))
      .thenTypes('MessageRecorded');
    given(...waiting)
      .when(say(message('x', { contextId: '', taskId: '' })))
      .thenTypes('MessageRecorded');
  });
});

describe('an incomplete message is refused by the field', () => {
  it.each([
    [{ parts: [] }, 'message.parts'],
    [{ parts: undefined }, 'message.parts'],
    [{ messageId: '' }, 'message.messageId'],
    [{ messageId: undefined }, 'message.messageId'],
    [{ messageId: 'x'.repeat(257) }, 'message.messageId'],
    [{ role: 'ROLE_UNSPECIFIED' }, 'message.role'],
    [{ role: 'user' }, 'message.role'],
  ])('%j', (more, field) => {
    given(...waiting)
      .when(say({ ...message('x'), ...more } as unknown as Message))
      .thenRefusesField(field);
  });
});
