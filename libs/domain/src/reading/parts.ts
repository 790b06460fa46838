import { stopCauses } from '../task/stop-causes.js';
import {
  content,
  count,
  flag,
  id,
  instant,
  kinds,
  listOf,
  object,
  oneOf,
  shape,
  text,
  type Check,
} from './shape.js';

// The shapes that several events share.

export const role = oneOf('ROLE_USER', 'ROLE_AGENT');
export const message = shape(
  { messageId: id, role, parts: listOf(object) },
  { contextId: text, taskId: text },
);
export const artifact = shape({ artifactId: id, parts: listOf(object) }, { metadata: object });

export const link = kinds({
  run: shape({ id }),
  subagent: shape({ handle: id }),
  turn: shape({ contextId: id }),
});

export const linkPolicy = oneOf('cascade', 'cooperative', 'abandon');
const terms = { policy: linkPolicy, onEnd: oneOf('abandon', 'cascade') };
/** A parent or a child, with the terms of the link. */
export const relative = shape({ taskId: id, ...terms }, { graceMs: count });

export const stopCause = oneOf(...stopCauses);
export const cancelCause = oneOf('user', 'parent');

export const requestedBy = shape(
  { principal: text, role: oneOf('user', 'agent', 'operator', 'system'), via: text },
  { requestId: text },
);
export const request = shape(
  { mode: oneOf('immediate', 'cooperative'), cascade: flag, requestedBy },
  { graceMs: count },
);

export const at = { at: instant };
export const occurredAt = { occurredAt: instant };

const statusBody = { message, reason: text, metadata: object };
export const statusContent = content(shape({}, statusBody));
export const questionContent = content(shape({}, { ...statusBody, askSchema: object }));
export const cancellationContent = content(shape({}, statusBody));

export const statusChange: Check = shape({ ...at, content: statusContent }, occurredAt);
export const questionAsked: Check = shape(
  { ...at, content: questionContent },
  { ...occurredAt, checkpointToken: text },
);
