import { isRead } from './meaning.js';
import type { Move } from './moves.js';
import type { State } from './state.js';
import type { AnyHead } from './streams.js';
import type { Worlds } from './world.js';

/** The state after an append. */
export const appended = (worlds: Worlds, state: State, { heads }: Pick<Move, 'heads'>): State => {
  const read = heads.filter((head) => isRead(worlds, head)).map(({ id }) => id);
  return {
    ...state,
    world: worlds.after(state.world, heads),
    log: read.length > 0 ? [...state.log, ...read] : state.log,
  };
};

const streamOf = ({ kind, index }: AnyHead): string =>
  kind === 'cancellation'
    ? `cancellation ${String(index)}`
    : `${kind === 'late' ? 'late-' : ''}t${String(index)}`;

const detailOf = (head: AnyHead): string => {
  const { event } = head;
  switch (event?.type) {
    case 'NodesSettled':
      return event.data.nodes.map(({ taskId, outcome }) => ` ${taskId}=${outcome}`).join('');
    case 'ChildLinked':
    case 'LateChildLinked':
      return ` ${event.data.child.taskId}`;
    case 'TaskCanceled':
    case 'CancellationRequested':
    case 'TaskStopped':
      return ` {${event.data.cancellationId ?? ''}}`;
    default:
      return '';
  }
};

export const showHeads = (heads: readonly AnyHead[]): string =>
  heads.map((head) => `${head.event?.type ?? ''}${detailOf(head)} (${streamOf(head)})`).join(' + ');

export const showMove = ({ heads }: Move): string => showHeads(heads);
