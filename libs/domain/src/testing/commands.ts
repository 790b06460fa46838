import type { Artifact, Message } from '../content.js';
import type {
  AssignParent,
  CancelTask,
  ChangeState,
  LinkChild,
  ParentFacts,
  RecordArtifact,
  RecordMessage,
  SubmitTask,
} from '../task/commands.js';
import type { TaskState } from '../task/state.js';
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
