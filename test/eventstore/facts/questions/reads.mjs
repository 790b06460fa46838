import { listed, pair } from '../asker.mjs';

/** Reads of one stream of four events. */
const streamReads = async ({ ask, append, read, event, library }) => {
  const { BACKWARDS, END, NO_STREAM, START } = library;
  await append('r', [event('A'), event('B'), event('C'), event('D')], NO_STREAM);
  const reads = {
    forwards: {},
    'backwards, two': { direction: BACKWARDS, fromRevision: END, maxCount: 2 },
    'from a revision': { fromRevision: 2n },
    'backwards from a revision': { direction: BACKWARDS, fromRevision: 1n },
    'from beyond the end': { fromRevision: 99n },
    'backwards from beyond the end': { direction: BACKWARDS, fromRevision: 99n },
    'forwards from the end': { fromRevision: END },
    'backwards from the start': { direction: BACKWARDS, fromRevision: START },
    'no event': { maxCount: 0 },
  };
  for (const [what, options] of Object.entries(reads))
    await ask(`read: ${what}`, async () => listed(await read('r', options)));
  await ask('read: a missing stream', () => read('no-such-stream'));
  await ask('read: the position of an event', async () => {
    const [{ event: first, commitPosition }] = await read('r');
    const same = commitPosition !== undefined && BigInt(commitPosition) === first.position?.commit;
    return `${pair(first.position)}, ${same ? 'said twice' : `also ${commitPosition}`}`;
  });
};

const longRead = async ({ ask, append, read, event, library }) => {
  await ask('read: three hundred', async () => {
    const numbered = (from) => Array.from({ length: 150 }, (_, i) => event('L', { i: from + i }));
    await append('long', numbered(0), library.NO_STREAM);
    await append('long', numbered(150), 149n);
    const all = await read('long');
    return `${all.length}, ${all.every(({ event: { data } }, i) => data.i === i) ? 'in order' : 'out of order'}`;
  });
};

const moved = ({ commit, prepare }, by) => ({ commit: commit + by, prepare: prepare + by });

/** Reads of everything; nobody else may append meanwhile, so this is no lane. */
export const askAboutAll = async ({ ask, append, readAll, event, library, named }) => {
  const { BACKWARDS, END, NO_STREAM, START } = library;
  const { position: third } = await append('all', [event('P0'), event('P1'), event('P2')], NO_STREAM);
  const { position: fourth } = await append('all', event('P3'), 2n);
  await ask('all: from the position of an append', async () => {
    const found = await readAll({ fromPosition: third, maxCount: 2 });
    const same = found[0].event.position?.commit === third.commit;
    return `${listed(found)}, ${same ? 'its last event' : 'another event'}`;
  });
  const reads = {
    'backwards from a position': { direction: BACKWARDS, fromPosition: fourth, maxCount: 2 },
    'backwards from the end': { direction: BACKWARDS, fromPosition: END, maxCount: 1 },
    'between two records': { fromPosition: moved(third, 1n), maxCount: 2 },
    'beyond the end': { fromPosition: moved(fourth, 100_000_000n), maxCount: 2 },
    'backwards from beyond the end': {
      direction: BACKWARDS,
      fromPosition: moved(fourth, 100_000_000n),
      maxCount: 2,
    },
    'prepare after commit': {
      fromPosition: { commit: third.commit, prepare: third.prepare + 1n },
      maxCount: 2,
    },
    'prepare 0': { fromPosition: { commit: third.commit, prepare: 0n }, maxCount: 1 },
  };
  for (const [what, options] of Object.entries(reads))
    await ask(`all: ${what}`, async () => listed(await readAll(options)));
  await ask('all: the first event is the server’s own', async () => {
    const [{ event: first }] = await readAll({ fromPosition: START, maxCount: 1 });
    return `${first.streamId}/${first.type}`;
  });
  await ask('all: the position beside an event', async () => {
    const [{ commitPosition, event: first }] = await readAll({ fromPosition: third, maxCount: 1 });
    if (commitPosition === undefined) return 'none';
    return BigInt(commitPosition) === first.position.commit ? 'the event’s' : 'another';
  });
  await ask('all: positions rise', async () => {
    const ours = (await readAll({ fromPosition: START, maxCount: 600 })).filter(({ event: { streamId } }) =>
      streamId.startsWith(named('')),
    );
    const positions = ours.map(({ event: { position } }) => position);
    const rising = positions.every(({ commit }, i) => i === 0 || commit > positions[i - 1].commit);
    return `${rising ? 'rising' : 'not rising'}, ${positions.every(({ commit, prepare }) => commit === prepare) ? 'commit=prepare' : 'commit≠prepare'}`;
  });
};

export const readLanes = [streamReads, longRead];
