import { appended, showHeads, showMove } from './appends.js';
import { meaningOf } from './meaning.js';
import { announcement, cancellationAt, dutyAt, lateAt, memo, rebased, taskAt, type Move } from './moves.js';
import { pathProblem } from './paths.js';
import { lowWaterMark, newSaga, type Mark, type Saga, type State, type Step } from './state.js';
import type { AnyHead } from './streams.js';
import type { World, Worlds } from './world.js';

const withMarks = (marks: readonly Mark[], what: readonly number[], from: number): readonly Mark[] => {
  const added = what.filter((one) => !marks.some((mark) => mark.what === one));
  if (added.length === 0) return marks;
  return [...marks, ...added.map((one) => ({ what: one, from }))].sort((one, other) => one.what - other.what);
};

const found = (worlds: Worlds, world: World, head: AnyHead) =>
  memo(world.known.read, head.id, () => ({
    meaning: meaningOf(worlds, world, head),
    problem: pathProblem(worlds, world, head),
  }));

const read = (worlds: Worlds, { world, log }: State, saga: Saga): Saga => {
  const { position } = saga;
  const head = worlds.streams.head(log[position] ?? -1);
  const { links, cancellations } = found(worlds, world, head).meaning;
  const holds = head.kind !== 'late' || worlds.rules.runtime.lateLinksHoldMark;
  return {
    ...saga,
    position: position + 1,
    links: withMarks(saga.links, links, position),
    cancellations: withMarks(saga.cancellations, cancellations, holds ? position : Number.MAX_SAFE_INTEGER),
  };
};

/** Forgets what is done; not before it knows what became of its own append. */
export const forgetful = (worlds: Worlds, world: World, saga: Saga): Saga => {
  if (saga.inFlight !== undefined) return saga;
  const { announces } = worlds.rules.runtime;
  const links = saga.links.filter(({ what }) => announces && announcement(worlds, world, what) !== undefined);
  const cancellations = saga.cancellations.filter(({ what }) => {
    const { moves, waits } = dutyAt(worlds, world, what);
    return waits || moves.length > 0;
  });
  const isSame = links.length === saga.links.length && cancellations.length === saga.cancellations.length;
  return isSame ? saga : { ...saga, links, cancellations };
};

const headNow = (world: World, { kind, index }: AnyHead): AnyHead => {
  if (kind === 'task') return taskAt(world, index);
  return kind === 'late' ? lateAt(world, index) : cancellationAt(world, index);
};

/** What was decided before is appended now, if the stream still stands where it stood. */
const landing = (worlds: Worlds, state: State, inFlight: Move): Move | undefined => {
  const { world } = state;
  const { exact } = worlds.rules.runtime;
  if (headNow(world, inFlight.base) === inFlight.base) return inFlight;
  const { kind } = inFlight.base;
  const isInexact = (kind === 'late' && !exact.late) || (kind === 'cancellation' && !exact.certificate);
  return isInexact ? rebased(worlds, world, inFlight) : undefined;
};

/** What one saga may do next. */
export const sagaSteps = (worlds: Worlds, state: State, index: number): readonly Step[] => {
  const saga = state.sagas[index];
  if (saga === undefined || saga.isGone === true) return [];
  const name = state.sagas.length > 1 ? `saga ${String(index)}` : 'saga';
  const becoming = (next: Saga, from: State = state): State => ({
    ...from,
    sagas: from.sagas.map((one, other) => (other === index ? next : one)),
  });
  return [
    ...(saga.inFlight === undefined
      ? workSteps(worlds, state, saga, name, becoming)
      : [landingStep(worlds, state, { ...saga, inFlight: saga.inFlight }, name, becoming)]),
    ...crashSteps(worlds, state, saga, name, becoming),
    ...(index === 0 ? vanishSteps(worlds, state, name, becoming) : []),
  ];
};

type Becoming = (next: Saga, from?: State) => State;

const landingStep = (
  worlds: Worlds,
  state: State,
  { inFlight, ...saga }: Saga & { readonly inFlight: Move },
  name: string,
  becoming: Becoming,
): Step => {
  const move = landing(worlds, state, inFlight);
  if (move === undefined)
    return {
      state: becoming(saga),
      label: () => `${name} finds ${showMove(inFlight)} overtaken`,
      optional: false,
    };
  const after = appended(worlds, becoming(saga), move);
  return { state: after, label: () => `${name} appends ${showMove(move)}`, optional: false };
};

const workSteps = (
  worlds: Worlds,
  state: State,
  saga: Saga,
  name: string,
  becoming: Becoming,
): readonly Step[] => {
  const { world, log } = state;
  const steps: Step[] = [];
  if (saga.position < log.length) {
    const head = worlds.streams.head(log[saga.position] ?? -1);
    const label = () => `${name} reads ${showHeads([head])}`;
    const { problem } = found(worlds, world, head);
    steps.push({
      state: becoming(read(worlds, state, saga)),
      label,
      optional: false,
      ...(problem !== undefined && { problem }),
    });
  }
  const moves = [
    ...saga.links.flatMap(({ what }) => announcement(worlds, world, what) ?? []),
    ...saga.cancellations.flatMap(({ what }) => dutyAt(worlds, world, what).moves),
  ];
  for (const move of moves) {
    const { problem } = move;
    const isTwoPhase = worlds.configuration.twoPhase === true;
    steps.push({
      state: isTwoPhase ? becoming({ ...saga, inFlight: move }) : appended(worlds, state, move),
      label: () => `${name} ${isTwoPhase ? 'decides' : 'appends'} ${showMove(move)}`,
      optional: false,
      ...(problem !== undefined && { problem }),
    });
  }
  return steps;
};

const crashSteps = (
  worlds: Worlds,
  state: State,
  saga: Saga,
  name: string,
  becoming: Becoming,
): readonly Step[] => {
  if (state.crashes.saga === 0 || saga.position === 0) return [];
  const after = { ...state, crashes: { ...state.crashes, saga: state.crashes.saga - 1 } };
  const mark = lowWaterMark(saga);
  const losesState = worlds.configuration.losesState ?? true;
  return [...new Set(losesState ? [mark, 0] : [mark])].map((position) => ({
    state: becoming(newSaga(position), after),
    label: () => `${name} crashes, and starts again at ${String(position)}`,
    optional: true,
  }));
};

/** The first saga is replaced by the others, and never comes back. */
const vanishSteps = (worlds: Worlds, state: State, name: string, becoming: Becoming): readonly Step[] =>
  worlds.configuration.losesLeader === true
    ? [
        {
          state: becoming({ ...newSaga(state.log.length), isGone: true }),
          label: () => `${name} vanishes for good`,
          optional: true,
        },
      ]
    : [];
