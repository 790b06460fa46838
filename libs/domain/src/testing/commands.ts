import type { Artifact, Message } from '../content.js';
import type {
  AssignParent,
  CancelTask,
  CarryCancellation,
  ChangeState,
  DeclineCancellation,
  EndAtDeadline,
  ForceCancellation,
  LinkChild,
  ParentFacts,
  RecordArtifact,
  RecordMessage,
  StopOrphan,
  SubmitTask,
} from '../task/commands.js';
import type { CancellationRequest } from '../task/events.js';
import type { EndFact, TaskState } from '../task/state.js';
import { alice, at, message } from './events.js';

// Commands that differ from the ordinary in what a test says, taken at second 20.

const now = at(20);

export const submit = (more: Partial<SubmitTask> = {}): SubmitTask => ({
  type: 'SubmitTask',
  at: now,
  taskId: 't1',
  contextId: 'c1',
  ...more,
});

export const change = (to: TaskState, more: Partial<ChangeState> = {}): ChangeState => ({
  type: 'ChangeState',
  at: now,
  to,
  ...(to === 'stopped' && { stoppedBy: 'operator' }),
  ...more,
});

export const record = (artifact: Artifact, more: Partial<RecordArtifact> = {}): RecordArtifact => ({
  type: 'RecordArtifact',
  at: now,
  artifact,
  ...more,
});

export const say = (said: Message = message('and?'), more: Partial<RecordMessage> = {}): RecordMessage => ({
  type: 'RecordMessage',
  at: now,
  message: said,
  ...more,
});

export const cancel = (more: Partial<CancelTask> = {}): CancelTask => ({
  type: 'CancelTask',
  at: now,
  cancellationId: 'x2',
  requestedBy: alice,
  ...more,
});

export const olderParent: ParentFacts = {
  taskId: 'p1',
  contextId: 'c1',
  createdAt: at(-10),
  state: 'working',
  revision: 4,
  rootTaskId: 'r1',
};

/** The request of a cancellation that began further up. */
export const requestAbove: CancellationRequest = { mode: 'immediate', cascade: true, requestedBy: alice };

export const decline = (more: Partial<DeclineCancellation> = {}): DeclineCancellation => ({
  type: 'DeclineCancellation',
  at: now,
  ...more,
});

export const carry = (more: Partial<CarryCancellation> = {}): CarryCancellation => ({
  type: 'CarryCancellation',
  at: now,
  cancellationId: 'above',
  manner: 'immediate',
  request: requestAbove,
  ...more,
});

export const stopOrphan = (more: Partial<StopOrphan> = {}): StopOrphan => ({
  type: 'StopOrphan',
  at: now,
  cancellationId: 'above',
  ...more,
});

/** The timer of the request, when it is due. */
export const force = (more: Partial<ForceCancellation> = {}): ForceCancellation => ({
  type: 'ForceCancellation',
  at: at(32),
  cancellationId: 'asked',
  ...more,
});

export const endAtDeadline = (second: number): EndAtDeadline => ({ type: 'EndAtDeadline', at: at(second) });

const canceledAbove: EndFact = {
  revision: 4,
  eventId: 'e4',
  at: at(15),
  from: 'working',
  cancellationId: 'above',
  root: false,
  request: requestAbove,
};

/** A parent that a cancellation ended; it cascades unless it is said not to. */
export const canceledParent = (more: Partial<EndFact> = {}): ParentFacts => ({
  ...olderParent,
  state: 'canceled',
  stoppedBy: 'parent',
  end: { ...canceledAbove, ...more },
});

export const assign = (more: Partial<AssignParent> = {}): AssignParent => ({
  type: 'AssignParent',
  at: now,
  parent: { taskId: 'p1' },
  parentTask: olderParent,
  ...more,
});

export const linkChild = (taskId: string, more: Partial<LinkChild> = {}): LinkChild => ({
  type: 'LinkChild',
  at: now,
  child: { taskId, policy: 'cascade', onEnd: 'abandon' },
  ...more,
});
