import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { DomainError } from '#domain';
import { ChildDto } from '../dto/link.dto.js';
import {
  ArtifactUpdateDto,
  CancellationDto,
  CreateTaskDto,
  MessageUpdateDto,
  TransitionDto,
} from '../dto/task.dto.js';
import { BodyPipe, readFields } from './body.pipe.js';

const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const artifact = { artifactId: 'a-1', parts: [{ text: 'x' }] };

const fieldRefused = (type: Type<object>, body: unknown): unknown => {
  try {
    readFields(body, type);
  } catch (error) {
    if (error instanceof DomainError) return error.detail.field;
    throw error;
  }
  return undefined;
};

describe('a body', () => {
  it.each([
    [CreateTaskDto, {}],
    [
      CreateTaskDto,
      { contextId: 'c', message, metadata: { any: [1, null] }, link: { kind: 'run', id: 'r' } },
    ],
    [CreateTaskDto, { link: { kind: 'subagent', handle: 'h' }, parent: { taskId: 'p', policy: 'abandon' } }],
    [
      CreateTaskDto,
      { link: { kind: 'turn', contextId: 'c' }, askSchema: {}, deadline: '2026-01-01T00:00:00.000Z' },
    ],
    [TransitionDto, { to: 'working' }],
    [TransitionDto, { to: 'completed', result: null, message, reason: 'done' }],
    [TransitionDto, { to: 'stopped', stoppedBy: 'lease-expired' }],
    [ArtifactUpdateDto, { artifact, append: true, lastChunk: false }],
    [MessageUpdateDto, { message }],
    [ChildDto, { taskId: 'c', policy: 'cooperative', onEnd: 'abandon', graceMs: 1_000 }],
    [CancellationDto, { reason: 'enough', cascade: false, mode: 'immediate' }],
  ])('of %p is read as it was sent: %j', (type, body) => {
    expect(readFields(body, type as Type<object>)).toEqual(body);
  });

  it.each<[Type<object>, unknown, string]>([
    [CreateTaskDto, 'text', 'body'],
    [CreateTaskDto, null, 'body'],
    [CreateTaskDto, [], 'body'],
    [CreateTaskDto, { foo: 1 }, 'foo'],
    [CreateTaskDto, { constructor: { prototype: {} } }, 'constructor'],
    [CreateTaskDto, { toString: 1 }, 'toString'],
    [CreateTaskDto, { contextId: '' }, 'contextId'],
    [CreateTaskDto, { contextId: 'a'.repeat(257) }, 'contextId'],
    [CreateTaskDto, { contextId: 'a\u0007' }, 'contextId'],
    [CreateTaskDto, { contextId: 7 }, 'contextId'],
    [CreateTaskDto, { contextId: null }, 'contextId'],
    [CreateTaskDto, { metadata: [] }, 'metadata'],
    [CreateTaskDto, { metadata: 'x' }, 'metadata'],
    [CreateTaskDto, { message: null }, 'message'],
    [CreateTaskDto, { message: { ...message, parts: [] } }, 'message.parts'],
    [CreateTaskDto, { message: { ...message, messageId: undefined } }, 'message.messageId'],
    [CreateTaskDto, { message: { ...message, role: 'user' } }, 'message.role'],
    [CreateTaskDto, { message: { ...message, kind: 'message' } }, 'message.kind'],
    [
      CreateTaskDto,
      { message: { ...message, parts: [{ text: 'a', kind: 'text' }] } },
      'message.parts[0].kind',
    ],
    [CreateTaskDto, { message: { ...message, parts: [{ text: 'a', url: 'b' }] } }, 'message.parts[0]'],
    [
      CreateTaskDto,
      { message: { ...message, parts: [{ text: 'a' }, { text: 1 }] } },
      'message.parts[1].text',
    ],
    [CreateTaskDto, { link: {} }, 'link.kind'],
    [CreateTaskDto, { link: { kind: 'task', id: 'x' } }, 'link.kind'],
    [CreateTaskDto, { link: { kind: 'run', handle: 'x' } }, 'link.handle'],
    [CreateTaskDto, { link: { kind: 'run' } }, 'link.id'],
    [CreateTaskDto, { link: 'run:x' }, 'link'],
    [CreateTaskDto, { parent: {} }, 'parent.taskId'],
    [CreateTaskDto, { parent: 'p' }, 'parent'],
    [CreateTaskDto, { parent: { taskId: 'p', policy: 'kill' } }, 'parent.policy'],
    [CreateTaskDto, { parent: { taskId: 'p', peer: {} } }, 'parent.peer'],
    [CreateTaskDto, { deadline: '2026-01-01' }, 'deadline'],
    [CreateTaskDto, { deadline: '2026-02-30T00:00:00Z' }, 'deadline'],
    [CreateTaskDto, { deadline: 1_700_000_000 }, 'deadline'],
    [TransitionDto, {}, 'to'],
    [TransitionDto, { to: 'submitted' }, 'to'],
    [TransitionDto, { to: 'TASK_STATE_WORKING' }, 'to'],
    [TransitionDto, { to: 'stopped', stoppedBy: 'user' }, 'stoppedBy'],
    [TransitionDto, { to: 'working', occurredAt: 'yesterday' }, 'occurredAt'],
    [TransitionDto, { to: 'working', reason: 'a'.repeat(5_000) }, 'reason'],
    [TransitionDto, { to: 'working', checkpointToken: 5 }, 'checkpointToken'],
    [TransitionDto, { to: 'working', askSchema: true }, 'askSchema'],
    [ArtifactUpdateDto, {}, 'artifact'],
    [ArtifactUpdateDto, { artifact: { ...artifact, parts: [] } }, 'artifact.parts'],
    [ArtifactUpdateDto, { artifact, append: 'no' }, 'append'],
    [ArtifactUpdateDto, { artifact, lastChunk: 1 }, 'lastChunk'],
    [MessageUpdateDto, {}, 'message'],
    [ChildDto, { taskId: 'c', graceMs: 10 }, 'graceMs'],
    [ChildDto, { taskId: 'c', graceMs: '1000' }, 'graceMs'],
    [ChildDto, { taskId: 'c', onEnd: 'kill' }, 'onEnd'],
    [CancellationDto, { mode: 'soft' }, 'mode'],
    [CancellationDto, { cascade: 'false' }, 'cascade'],
    [CancellationDto, { graceMs: 1.5 }, 'graceMs'],
  ])('of %p is refused by the name of its field: %j', (type, body, field) => {
    expect(fieldRefused(type, body)).toBe(field);
  });

  it('keeps free content the very value that came, whatever its keys (C45)', () => {
    const metadata = JSON.parse('{"constructor":{"prototype":{"x":1}},"hasOwnProperty":0}') as object;
    expect(readFields({ metadata }, CreateTaskDto).metadata).toBe(metadata);
  });

  it('C07 keeps a time with an offset in UTC with milliseconds', () => {
    const read = readFields({ to: 'working', occurredAt: '2026-01-01T10:00:00+02:00' }, TransitionDto);
    expect(read.occurredAt).toBe('2026-01-01T08:00:00.000Z');
  });

  it('has no field that was not sent', () => {
    expect(Object.keys(readFields({ to: 'working' }, TransitionDto))).toEqual(['to']);
  });

  it('may be left out only where every field may', () => {
    const pipe = new BodyPipe();
    expect(pipe.transform(undefined, { type: 'body', metatype: CancellationDto })).toEqual({});
    expect(() => pipe.transform(undefined, { type: 'body', metatype: CreateTaskDto })).toThrow(
      'body: is empty',
    );
  });
});
