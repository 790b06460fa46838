import type { Artifact, JsonObject, Message } from '#domain';

/** A2A 1.0 objects in ProtoJSON, as they stand on the wire. */
export interface WireStatus {
  readonly state: string;
  readonly timestamp?: string;
  readonly message?: Message;
}

export interface WireTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: WireStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: JsonObject;
}

/** Exactly one member is there. */
export interface WireStreamResponse {
  readonly task?: WireTask;
  readonly message?: Message;
  readonly statusUpdate?: {
    readonly taskId: string;
    readonly contextId: string;
    readonly status: WireStatus;
  };
  readonly artifactUpdate?: {
    readonly taskId: string;
    readonly contextId: string;
    readonly artifact: Artifact;
    readonly append?: boolean;
    readonly lastChunk?: boolean;
  };
}

export interface WireTaskList {
  readonly tasks: readonly WireTask[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: readonly JsonObject[];
}

/** Folds the frames of a stream as a client does that keeps no other truth (C10). */
export const foldFrames = (frames: readonly WireStreamResponse[]): WireTask => {
  const [first, ...later] = frames;
  if (first?.task === undefined) throw new Error('the first frame must be the task');
  return later.reduce(foldFrame, first.task);
};

const foldFrame = (task: WireTask, frame: WireStreamResponse): WireTask => {
  if (frame.statusUpdate !== undefined) return { ...task, status: frame.statusUpdate.status };
  const update = frame.artifactUpdate;
  if (update === undefined) throw new Error(`not a frame of a running stream: ${JSON.stringify(frame)}`);
  const known = task.artifacts ?? [];
  const before = known.find(({ artifactId }) => artifactId === update.artifact.artifactId);
  if (before === undefined) return { ...task, artifacts: [...known, update.artifact] };
  const parts = update.append === true ? [...before.parts, ...update.artifact.parts] : update.artifact.parts;
  const after = { ...before, parts };
  return { ...task, artifacts: known.map((artifact) => (artifact === before ? after : artifact)) };
};
