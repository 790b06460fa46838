import { commandOf } from '../known-commands.js';
import type { Task } from '../state.js';
import type { RecordedOf } from './draft.js';

/** The task that its first event makes. */
export const begin = (event: RecordedOf<'TaskSubmitted'>): Task => {
  const { data, metadata } = event;
  const createCommand = commandOf(event);
  const { askSchema } = data.content.body;
  return {
    taskId: data.taskId,
    contextId: data.contextId,
    tenant: metadata.tenant,
    owner: metadata.owner,
    revision: event.revision,
    lastEventId: event.id,
    createdAt: data.at,
    updatedAt: data.at,
    state: 'submitted',
    statusAt: data.at,
    statusRevision: event.revision,
    statusHasMessage: false,
    admitted: false,
    ...(askSchema !== undefined && { askSchema }),
    ...(data.link !== undefined && { link: data.link }),
    ...(data.parent !== undefined && { parent: data.parent }),
    rootTaskId: data.rootTaskId,
    childCount: 0,
    children: [],
    requests: [],
    ...(data.deadline !== undefined && { deadline: data.deadline }),
    artifacts: [],
    hasResult: false,
    ...(createCommand !== undefined && { createCommand }),
    commands: [],
    bytes: event.bytes,
  };
};
