import { randomUUID } from 'node:crypto';
import { decodeEvent, streamNames } from '#application';
import {
  type Artifact,
  type CancellationEvent,
  type CancelTask,
  decide,
  emptyDocument,
  evolve,
  evolveDocument,
  type EventMetadata,
  type LateEvent,
  type Message,
  type ParentInput,
  type Task,
  type TaskCommand,
  type TaskDocument,
  type TaskEvent,
  type TaskState,
} from '#domain';
import type { EventStore, Position } from '#event-store';

export const namespace = 'ledger';
const names = streamNames(namespace);

export interface TaskOptions {
  readonly tenant?: string;
  readonly owner?: string;
  readonly contextId?: string;
  readonly parent?: ParentInput;
  readonly link?: { kind: 'run'; id: string };
  readonly text?: string;
  readonly deadline?: string;
}

/** How a cancel is asked for; `by`: the principal. */
export type Asked = Partial<Pick<CancelTask, 'mode' | 'graceMs' | 'cascade' | 'reason'>> & {
  readonly by?: string;
};

export const message = (text: string, role: Message['role'] = 'ROLE_USER'): Message => ({
  messageId: randomUUID(),
  role,
  parts: [{ text }],
});

export const artifact = (artifactId: string, ...texts: readonly string[]): Artifact => ({
  artifactId,
  parts: texts.map((text) => ({ text })),
});

/** Writes histories into a log by the domain's own decisions, and keeps what they fold to. */
export class LogWriter {
  readonly tasks = new Map<string, Task>();
  readonly documents = new Map<string, TaskDocument>();
  /** Of the last event written. */
  position: Position = '';

  constructor(
    readonly store: EventStore,
    readonly clock = { now: (): number => Date.parse('2026-01-01T00:00:00.000Z') },
  ) {}

  at(): string {
    return new Date(this.clock.now()).toISOString();
  }

  async submit(taskId: string, options: TaskOptions = {}): Promise<void> {
    const { parent, link, text, deadline } = options;
    const parentTask = parent && this.task(parent.taskId);
    await this.run(
      taskId,
      {
        type: 'SubmitTask',
        taskId,
        contextId: options.contextId ?? parentTask?.contextId ?? `context-of-${taskId}`,
        at: this.at(),
        ...(text !== undefined && { message: message(text) }),
        ...(link && { link }),
        ...(deadline !== undefined && { deadline }),
        ...(parent && parentTask && { parent, parentTask }),
      },
      { tenant: options.tenant ?? 'acme', owner: options.owner ?? 'ann' },
    );
    if (parent) await this.announce(parent.taskId, taskId);
  }

  /** The link on the parent's stream. */
  async announce(parentId: string, childId: string): Promise<void> {
    const terms = this.task(childId).parent;
    if (terms === undefined) throw new Error(`${childId} has no parent`);
    await this.run(parentId, { type: 'LinkChild', at: this.at(), child: { ...terms, taskId: childId } });
  }

  async adopt(parentId: string, childId: string, terms: Omit<ParentInput, 'taskId'> = {}): Promise<void> {
    const parentTask = this.task(parentId);
    await this.run(childId, {
      type: 'AssignParent',
      at: this.at(),
      parent: { taskId: parentId, ...terms },
      parentTask,
    });
    await this.announce(parentId, childId);
  }

  move(taskId: string, to: TaskState, text?: string): Promise<void> {
    return this.run(taskId, {
      type: 'ChangeState',
      to,
      at: this.at(),
      ...(text !== undefined && { message: message(text, 'ROLE_AGENT') }),
    });
  }

  say(taskId: string, text: string): Promise<void> {
    return this.run(taskId, { type: 'RecordMessage', at: this.at(), message: message(text) });
  }

  add(taskId: string, added: Artifact, append = false): Promise<void> {
    return this.run(taskId, { type: 'RecordArtifact', at: this.at(), artifact: added, append });
  }

  cancel(taskId: string, cancellationId: string, asked: Asked = {}): Promise<void> {
    const { by = 'ann', ...options } = asked;
    const requestedBy = { principal: by, role: 'user', via: 'ledger-api' } as const;
    return this.run(taskId, {
      type: 'CancelTask',
      at: this.at(),
      cancellationId,
      requestedBy,
      cascade: false,
      ...options,
    });
  }

  decline(taskId: string): Promise<void> {
    return this.run(taskId, { type: 'DeclineCancellation', at: this.at() });
  }

  async writeCancellation(
    cancellationId: string,
    events: readonly CancellationEvent[],
    by: Partial<EventMetadata> = {},
  ): Promise<void> {
    const metadata = JSON.stringify({ ...metadataOf(cancellationId, undefined), ...by });
    const recorded = events.map(({ type, data }) => ({
      id: randomUUID(),
      type,
      data: JSON.stringify(data),
      metadata,
    }));
    const stream = names.cancellation(cancellationId);
    this.position = (await this.store.append(stream, recorded, 'any')).position;
  }

  async run(
    taskId: string,
    command: TaskCommand,
    by: Partial<Pick<EventMetadata, 'tenant' | 'owner' | 'commandId' | 'requestHash'>> = {},
  ): Promise<void> {
    const task = this.tasks.get(taskId);
    await this.write(taskId, decide(command, task), by);
  }

  /** Appends events as they are, readable or not, and folds what can be read. */
  async write(
    taskId: string,
    events: readonly (TaskEvent | { type: string; data: unknown })[],
    by: Partial<EventMetadata> = {},
  ): Promise<void> {
    await this.writeText(
      taskId,
      events.map(({ type, data }) => ({ type, data: JSON.stringify(data) })),
      by,
    );
  }

  async writeText(
    taskId: string,
    events: readonly { type: string; data: string }[],
    by: Partial<EventMetadata> = {},
  ): Promise<void> {
    if (events.length === 0) return;
    const before = this.tasks.get(taskId);
    const metadata = JSON.stringify({ ...metadataOf(taskId, before), ...by });
    const recorded = events.map(({ type, data }) => ({ id: randomUUID(), type, data, metadata }));
    const stream = names.task(taskId);
    const [last] = await this.store.readStream(stream, { direction: 'backwards', limit: 1 });
    const result = await this.store.append(stream, recorded, last?.revision ?? 'none');
    this.position = result.position;
    const first = result.revision - recorded.length + 1;
    for (const event of await this.store.readStream(stream, { from: first, limit: 1_000 })) {
      const decoded = decodeEvent(event, namespace);
      if (decoded.kind !== 'task') continue;
      this.tasks.set(taskId, evolve(this.tasks.get(taskId), decoded.event));
      this.documents.set(taskId, evolveDocument(this.documents.get(taskId) ?? emptyDocument, decoded.event));
    }
  }

  async writeLate(taskId: string, events: readonly LateEvent[]): Promise<void> {
    const metadata = JSON.stringify(metadataOf(taskId, this.tasks.get(taskId)));
    const recorded = events.map(({ type, data }) => ({
      id: randomUUID(),
      type,
      data: JSON.stringify(data),
      metadata,
    }));
    this.position = (await this.store.append(names.late(taskId), recorded, 'any')).position;
  }

  task(taskId: string): Task {
    const task = this.tasks.get(taskId);
    if (task === undefined) throw new Error(`no task ${taskId}`);
    return task;
  }

  document(taskId: string): TaskDocument {
    return this.documents.get(taskId) ?? emptyDocument;
  }
}

const metadataOf = (taskId: string, task: Task | undefined): EventMetadata => {
  const commandId = randomUUID();
  return {
    tenant: task?.tenant ?? 'acme',
    owner: task?.owner ?? 'ann',
    principal: 'ann',
    role: 'user',
    via: 'ledger-api',
    commandId,
    $causationId: commandId,
    $correlationId: task?.rootTaskId ?? taskId,
  };
};
