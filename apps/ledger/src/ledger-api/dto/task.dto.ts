import type { ArtifactInput, CancelInput, MessageInput, TransitionInput } from '#application';
import {
  stopCauses,
  type Artifact,
  type CancelMode,
  type Json,
  type JsonObject,
  type Link,
  type Message,
  type StopCause,
} from '#domain';
import {
  Flag,
  FreeObject,
  FreeValue,
  Id,
  Instant,
  Nested,
  OneOf,
  Text,
  Whole,
} from '../request/body-fields.js';
import { BodyOptional } from '../request/body.pipe.js';
import { Says } from '../request/says.js';
import { ArtifactField, MessageField } from './content.dto.js';
import { graceMs, LinkField, ParentDto } from './link.dto.js';

/** Characters of a reason or a note: a sentence for people, not content. */
const reasonLengthMax = 4_096;
const tokenLengthMax = 4_096;

export class CreateTaskDto {
  @Id({ optional: true }) readonly contextId?: string;
  @MessageField({ optional: true }) readonly message?: Message;
  @FreeObject({ optional: true }) readonly metadata?: JsonObject;
  @LinkField() readonly link?: Link;
  @Nested({ type: () => ParentDto, optional: true }) readonly parent?: ParentDto;
  @FreeObject({ optional: true }) readonly askSchema?: JsonObject;
  @Says('In the future. Whatever is not ended by then is stopped by the ledger (`stoppedBy: deadline`).')
  @Instant({ optional: true })
  readonly deadline?: string;
}

export const statesToSet = [
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'rejected',
  'stopped',
  'canceled',
] as const satisfies readonly TransitionInput['to'][];

export class TransitionDto implements TransitionInput {
  @OneOf({ values: statesToSet }) readonly to!: (typeof statesToSet)[number];
  @MessageField({ optional: true }) readonly message?: Message;
  @Text({ longest: reasonLengthMax, optional: true }) readonly reason?: string;
  @OneOf({ values: stopCauses, optional: true }) readonly stoppedBy?: StopCause;
  @FreeValue({ optional: true }) readonly result?: Json;
  @FreeObject({ optional: true }) readonly askSchema?: JsonObject;
  @Text({ longest: tokenLengthMax, optional: true }) readonly checkpointToken?: string;
  @Instant({ optional: true }) readonly occurredAt?: string;
  @FreeObject({ optional: true }) readonly metadata?: JsonObject;
}

export class ArtifactUpdateDto implements ArtifactInput {
  @ArtifactField() readonly artifact!: Artifact;
  @Flag({ fallback: false, optional: true }) readonly append?: boolean;
  @Flag({ fallback: false, optional: true }) readonly lastChunk?: boolean;
  @Instant({ optional: true }) readonly occurredAt?: string;
}

export class MessageUpdateDto implements MessageInput {
  @MessageField() readonly message!: Message;
}

@BodyOptional
export class CancellationDto implements CancelInput {
  @Says('Kept whole on the root; the tasks below carry its beginning.')
  @Text({ longest: reasonLengthMax, optional: true })
  readonly reason?: string;

  @Says('Kept with the request.')
  @FreeObject({ optional: true })
  readonly metadata?: JsonObject;

  @Says(
    '`immediate` ends the task at once. `cooperative` asks the agent of a task at work, and ends it when its grace ' +
      'is over. Default: LEDGER_CANCEL_MODE.',
  )
  @OneOf({ values: ['immediate', 'cooperative'], optional: true })
  readonly mode?: CancelMode;

  @Says('Milliseconds that an asked agent is given; with `cooperative` only. Default 30000.')
  @Whole({ ...graceMs, optional: true })
  readonly graceMs?: number;

  @Says('Whether what hangs below the task is cancelled, too, each child as its policy says.')
  @Flag({ fallback: true, optional: true })
  readonly cascade?: boolean;

  @Says('Cancels what hangs below the task now, and not the task: each call is a cancellation of its own.')
  @Flag({ fallback: false, optional: true })
  readonly descendantsOnly?: boolean;

  @Says('Answers what would become of each task, with 200, and writes nothing.')
  @Flag({ fallback: false, optional: true })
  readonly dryRun?: boolean;
}

@BodyOptional
export class NoteDto {
  @Says('For people; kept with the answer.')
  @Text({ longest: reasonLengthMax, optional: true })
  readonly note?: string;
}
