import { done } from '../asker.mjs';

/** Which revision an append may expect. */
const expectations = async ({ ask, append, event, library }) => {
  const { NO_STREAM, ANY, STREAM_EXISTS } = library;
  const one = () => event('X');
  await ask('append: two to no stream', async () =>
    done(await append('a', [event('A'), event('B')], NO_STREAM)),
  );
  await ask('append: at the exact revision', async () => done(await append('a', event('C'), 1n)));
  await ask('append: at a lower revision', () => append('a', one(), 0n));
  await ask('append: at a higher revision', () => append('a', one(), 9n));
  await ask('append: no stream, but there is one', () => append('a', one(), NO_STREAM));
  await ask('append: at a revision of a missing stream', () => append('missing-1', one(), 0n));
  await ask('append: stream exists, but it does not', () => append('missing-2', one(), STREAM_EXISTS));
  await ask('append: stream exists', async () => done(await append('a', event('D'), STREAM_EXISTS)));
  await ask('append: any, to a missing stream', async () => done(await append('any', event('A'), ANY)));
  await ask('append: any, to a stream', async () => done(await append('any', event('B'), ANY)));
  await ask('append: nothing, at the exact revision', async () => done(await append('a', [], 3n)));
  await ask('append: nothing, at a wrong revision', async () => done(await append('a', [], 1n)));
  await ask('append: nothing, to no stream', async () => done(await append('nothing', [], NO_STREAM)));
  await ask('append: nothing, any', async () => done(await append('a', [], ANY)));
};

const likeness = (first, again) =>
  first.nextExpectedRevision === again.nextExpectedRevision &&
  first.position?.commit === again.position?.commit
    ? 'the original result'
    : 'another result';

/** What the same ids mean when they come again, at an exact revision. */
const repeatsAtRevisions = async ({ ask, append, read, event, events, library }) => {
  const { NO_STREAM } = library;
  const first = events('I', 2);
  const later = events('J', 3);
  const fresh = () => event('fresh');
  let original;
  await ask('repeat: the first append', async () => done((original = await append('i', first, NO_STREAM))));
  await ask('repeat: the same again', async () => likeness(original, await append('i', first, NO_STREAM)));
  await ask('repeat: a later append', async () => done(await append('i', later, 1n)));
  await ask('repeat: the first again, after more', async () =>
    likeness(original, await append('i', first, NO_STREAM)),
  );
  await ask('repeat: the beginning of an append', async () => done(await append('i', later.slice(0, 2), 1n)));
  await ask('repeat: the end of an append, at its place', async () =>
    done(await append('i', later.slice(1), 2n)),
  );
  await ask('repeat: the end of an append, elsewhere', () => append('i', later.slice(1), 1n));
  await ask('repeat: the second event is new', () => append('i', [later[0], fresh()], 1n));
  await ask('repeat: more than there is', () => append('i', [...later, fresh()], 1n));
  await ask('repeat: the first event is new', () => append('i', [fresh(), later[1]], 1n));
  await ask('repeat: the same ids with other bodies', async () => {
    const others = first.map(({ id }) => event('Other', { other: true }, { id }));
    return done(await append('i', others, NO_STREAM));
  });
  await ask('repeat: the same ids at the newest revision', async () => {
    const result = await append('i', first, 4n);
    return `${done(result)}, ${(await read('i')).length} events`;
  });
};

/** The same without a revision. */
const repeatsWithoutRevision = async ({ ask, append, read, event, library }) => {
  const { ANY, NO_STREAM } = library;
  await ask('repeat, any: the same', async () => {
    const same = event('Z');
    const likely = likeness(await append('ia', same, ANY), await append('ia', same, ANY));
    return `${likely}, ${(await read('ia')).length} events`;
  });
  await ask('repeat, any: the second event is new', async () => {
    const same = event('Z');
    await append('ib', same, ANY);
    return done(await append('ib', [same, event('Y')], ANY));
  });
  await ask('repeat, any: in another stream', async () => {
    const same = event('Z');
    await append('ic', same, ANY);
    return done(await append('id', same, ANY));
  });
  await ask('repeat: one id twice in one append', async () => {
    const same = event('Z');
    const result = await append('ie', [same, same], NO_STREAM);
    return `${done(result)}, ${(await read('ie')).length} events`;
  });
};

const outcomes = (settled) => {
  const refused = settled.filter(({ status }) => status === 'rejected').map(({ reason }) => reason);
  const kinds = new Set(
    refused.map(
      (error) =>
        `${error.type} expected=${error.expectedVersion ?? error.expectedState} actual=${error.actualVersion ?? error.actualState}`,
    ),
  );
  return { won: settled.length - refused.length, lost: refused.length, kinds: [...kinds].join(', ') };
};

/** Many at once. */
const races = async ({ ask, append, read, event, library }) => {
  await ask('race: fifty create one stream', async () => {
    const racing = Array.from({ length: 50 }, () => append('race', event('A'), library.NO_STREAM));
    const { won, lost, kinds } = outcomes(await Promise.allSettled(racing));
    return `${won} won, ${lost} lost: ${kinds}`;
  });
  await ask('race: two hundred in flight, each behind the one before', async () => {
    const sent = Array.from({ length: 200 }, (_, i) =>
      append('pipe', event('P', { i }), i === 0 ? library.NO_STREAM : BigInt(i - 1)),
    );
    const { lost } = outcomes(await Promise.allSettled(sent));
    const order = (await read('pipe')).every(({ event: { data } }, i) => data.i === i);
    return `${lost === 0 ? 'all' : 'not all'} accepted, ${order ? 'in order' : 'out of order'}`;
  });
};

/** How long an append may take. */
const deadlines = async ({ ask, append, event, library }) => {
  await ask('deadline: passed already', async () =>
    done(await append('late', event('A'), library.ANY, { deadline: -5000 })),
  );
};

/** Lanes that may run side by side. */
export const appendLanes = [expectations, repeatsAtRevisions, repeatsWithoutRevision, races, deadlines];
