import { invalid, isId, type Link, type LinkPolicy, type OnEnd } from '#domain';
import { Checked, FreeObject, Id, OneOf, Told, Whole } from '../request/body-fields.js';
import { Says } from '../request/says.js';
import { isJsonObject } from '../request/values.js';

/** Milliseconds that whoever is asked to stop may be given: 1 s to 24 h. */
export const graceMs = { least: 1_000, most: 86_400_000 };

export const policies: readonly LinkPolicy[] = ['cascade', 'cooperative', 'abandon'];
export const ends: readonly OnEnd[] = ['abandon', 'cascade'];

/** What the end of a parent does to its child. */
class TermsDto {
  @Says(
    'What a cancel of the parent does: `cascade` (default) ends the child at once, `cooperative` asks its agent, ' +
      '`abandon` leaves the child and everything below it alone.',
  )
  @OneOf({ values: policies, optional: true })
  readonly policy?: LinkPolicy;

  @Says('Milliseconds that the agent is given; with `cooperative` only. Default 30000.')
  @Whole({ ...graceMs, optional: true })
  readonly graceMs?: number;

  @Says('What any other end of the parent does: `abandon` (default) nothing, `cascade` stops the child.')
  @OneOf({ values: ends, optional: true })
  readonly onEnd?: OnEnd;
}

/** The parent of a new task, and what its end does to the child. */
export class ParentDto extends TermsDto {
  @Id() readonly taskId!: string;
}

/** An existing task that becomes a child; `peer`, a task at an A2A peer, is not served yet. */
export class ChildDto extends TermsDto {
  @Id({ optional: true }) readonly taskId?: string;
  @FreeObject({ optional: true }) readonly peer?: object;
}

/** What a task is attached to: `{kind: run, id}`, `{kind: subagent, handle}` or `{kind: turn, contextId}`. */
export class LinkDto {
  @Told({ type: String, enum: ['run', 'subagent', 'turn'] }) readonly kind!: Link['kind'];
  @Told({ type: String }, { optional: true }) readonly id?: string;
  @Told({ type: String }, { optional: true }) readonly handle?: string;
  @Told({ type: String }, { optional: true }) readonly contextId?: string;
}

const namesOf = { run: 'id', subagent: 'handle', turn: 'contextId' } as const satisfies Record<
  Link['kind'],
  string
>;

const linkTo = (kind: Link['kind'], target: string): Link => {
  if (kind === 'run') return { kind, id: target };
  return kind === 'subagent' ? { kind, handle: target } : { kind, contextId: target };
};

const readLink = (value: unknown, path: string): Link => {
  if (!isJsonObject(value)) throw invalid(path, 'must be a JSON object');
  const { kind } = value;
  if (kind !== 'run' && kind !== 'subagent' && kind !== 'turn') {
    throw invalid(`${path}.kind`, 'must be one of run, subagent, turn');
  }
  const name = namesOf[kind];
  const unknown = Object.keys(value).find((key) => key !== 'kind' && key !== name);
  if (unknown !== undefined)
    throw invalid(`${path}.${unknown.slice(0, 100)}`, `is not a field of a ${kind} link`);
  const target = value[name];
  if (!isId(target))
    throw invalid(`${path}.${name}`, 'must be a string of 1 to 256 characters without control characters');
  return linkTo(kind, target);
};

export const LinkField = (): PropertyDecorator =>
  Checked({ optional: true, type: () => LinkDto, convert: readLink });
