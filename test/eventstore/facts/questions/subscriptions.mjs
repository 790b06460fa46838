import { sleep } from '../asker.mjs';

const settleMs = 250;
const liveLimitMs = 8000;
const endMs = 150;
const slowLimitMs = 8000;

const until = async (reached, limitMs) => {
  const end = Date.now() + limitMs;
  while (!reached() && Date.now() < end) await sleep(10);
};

/** Writes down what a subscription tells, in order. */
const record = (subscription) => {
  const told = [];
  for (const name of ['confirmation', 'caughtUp', 'fellBehind', 'end', 'close'])
    subscription.on(name, () => told.push(name));
  subscription.on('data', ({ event }) => told.push(event.type));
  subscription.on('error', (error) => told.push(`error ${error.type} "${error.message}"`));
  return told;
};

const joined = (told) =>
  told
    .filter((what) => !what.startsWith('$'))
    .join(' ')
    .replace(/checkpoint( checkpoint)+/g, 'checkpoints')
    .replace(/\bcheckpoint\b/g, 'checkpoints');

/** What was told before and after the subscription was ended. */
const closed = async ({ subscription, told }) => {
  const before = told.length;
  await subscription.unsubscribe();
  await sleep(endMs);
  return `${joined(told.slice(0, before))} | ${joined(told.slice(before))}`.trim();
};

const filtered = ({ client, library, named }, stream, options, window = {}) => {
  const told = [];
  const positions = [];
  const subscription = client.subscribeToAll({
    ...options,
    filter: library.streamNameFilter({
      prefixes: [named(stream)],
      // Wide, so that what others write brings no checkpoint between.
      checkpointInterval: 1000,
      ...window,
      checkpointReached: async (_subscription, position) => {
        told.push('checkpoint');
        positions.push(position);
      },
    }),
  });
  const heard = record(subscription);
  // One list for both, in the order in which they were told.
  heard.push = (...what) => told.push(...what);
  return { subscription, told, positions };
};

const plain = (subscription) => ({ subscription, told: record(subscription) });

/** Each of them: what is there before, how it subscribes, what is written while it is live. */
const timelines = (asker, positions) => {
  const { client, library, named } = asker;
  const { END, START } = library;
  const { before, last, between, beyond } = positions;
  const all = (stream, options) => () => filtered(asker, stream, options);
  const one = (stream, options) => () => plain(client.subscribeToStream(named(stream), options));
  return [
    ['subscribe, all, filtered: from the start', all('s1', { fromPosition: START }), 's1'],
    ['subscribe, all, filtered: after a position', all('s2', { fromPosition: before.s2 }), undefined],
    ['subscribe, all, filtered: from the end', all('s3', { fromPosition: END }), 's3'],
    ['subscribe, all, filtered: after the newest event', all('s4', { fromPosition: last }), 's4'],
    [
      'subscribe, all: after a position',
      () => plain(client.subscribeToAll({ fromPosition: before.s7 })),
      's7',
    ],
    ['subscribe, all, filtered: between two records', all('s8', { fromPosition: between }), undefined],
    ['subscribe, all, filtered: beyond the end', all('s9', { fromPosition: beyond }), 's9'],
    ['subscribe, stream: from the start', one('t1', {}), 't1'],
    ['subscribe, stream: after a revision', one('t2', { fromRevision: 0n }), undefined],
    ['subscribe, stream: from the end', one('t3', { fromRevision: END }), 't3'],
    ['subscribe, stream: missing, then there', one('t4', {}), 't4'],
    ['subscribe, stream: beyond the end', one('t5', { fromRevision: 99n }), 't5'],
  ];
};

const moved = ({ commit, prepare }, by) => ({ commit: commit + by, prepare: prepare + by });

/** What is there before anybody subscribes; the newest event is the last of s4. */
const prepare = async ({ append, event, events, library }) => {
  const { NO_STREAM } = library;
  const before = {};
  for (const stream of ['s1', 't1', 't2', 't3', 't5', 's9'])
    before[stream] = (await append(stream, events('E', 2), NO_STREAM)).position;
  for (const stream of ['s2', 's7', 's8']) {
    before[stream] = (await append(stream, events('E', 2), NO_STREAM)).position;
    await append(stream, event('E2'), 1n);
  }
  const { position: last } = await append('s4', event('E0'), NO_STREAM);
  return { before, last, between: moved(before.s8, -1n), beyond: moved(last, 100_000_000n) };
};

/** Of a missing stream an older server says nothing. */
const isLive = ({ stream, told }) =>
  stream === 't4' ? told.includes('confirmation') : told.some((what) => /^(caughtUp|error)/.test(what));

/** To those that start at the beginning every server brings what is written. */
const hasHeard = ({ stream, told }) => !['s1', 't1', 't4'].includes(stream) || told.includes('Live');

/** What subscriptions tell, and in which order. One written event at a time, so that everybody keeps up. */
export const askAboutSubscriptions = async (asker) => {
  const { ask, append, event, library } = asker;
  const asked = timelines(asker, await prepare(asker));
  const open = asked.map(([question, subscribe, stream]) => ({ question, stream, ...subscribe() }));
  await until(() => open.every(isLive), liveLimitMs);
  await sleep(settleMs);
  for (const { stream } of open) if (stream !== undefined) await append(stream, event('Live'), library.ANY);
  await until(() => open.every(hasHeard), liveLimitMs);
  await sleep(settleMs);
  await Promise.all(open.map((each) => ask(each.question, () => closed(each))));
};

const rising = (positions) => positions.every(({ commit }, i) => i === 0 || commit > positions[i - 1].commit);

/** Where a filtered subscription says that it is, while others write. */
export const askAboutCheckpoints = async (asker) => {
  const { ask, append, event, library } = asker;
  const narrow = { checkpointInterval: 1, maxSearchWindow: 4 };
  const { position } = await append('c', event('E0'), library.NO_STREAM);
  const first = filtered(asker, 'c', { fromPosition: position }, narrow);
  await sleep(endMs);
  for (let i = 0; i < 30; i += 1) await append('noise', event('N'), library.ANY);
  await sleep(settleMs);
  await ask('checkpoints: while others write', async () => {
    await first.subscription.unsubscribe();
    const { positions } = first;
    const same = positions.every(({ commit, prepare: prepared }) => commit === prepared);
    const beyond = positions.at(-1)?.commit > position.commit;
    return `${positions.length > 0 ? 'some' : 'none'}, ${rising(positions) ? 'rising' : 'not rising'}, ${beyond ? 'beyond' : 'not beyond'} the start, ${same ? 'commit=prepare' : 'commit≠prepare'}`;
  });
  const resumeAt = first.positions.at(-1) ?? position;
  await append('c', event('E1'), 0n);
  const second = filtered(asker, 'c', { fromPosition: resumeAt });
  const third = filtered(asker, 'nobody', { fromPosition: position }, narrow);
  await sleep(settleMs);
  await ask('checkpoints: resumed at one', () => closed(second));
  await ask('checkpoints: while catching up', async () => {
    await third.subscription.unsubscribe();
    const pages = third.positions.filter(({ prepare: prepared }) => prepared === 0n).length;
    return `${pages > 0 ? 'some' : 'none'} with prepare 0, ${rising(third.positions) ? 'rising' : 'not rising'}`;
  });
};

/** A consumer that does not take what comes. */
export const askAboutSlowConsumers = async (asker) => {
  const { ask, append, event, library } = asker;
  const appends = 6;
  const eventsEach = 100;
  await ask('slow consumer: six hundred events while it takes none', async () => {
    const { position } = await append('slow', event('Z'), library.NO_STREAM);
    const { subscription } = filtered(asker, 'slow', { fromPosition: position });
    const seen = { got: 0, errors: [] };
    subscription.on('data', () => (seen.got += 1));
    subscription.on('error', ({ type, message }) => seen.errors.push(`${type} "${message}"`));
    await sleep(settleMs);
    subscription.pause();
    const padded = () => event('W', { pad: 'x'.repeat(900) });
    for (let i = 0; i < appends; i += 1)
      await append('slow', Array.from({ length: eventsEach }, padded), BigInt(i * eventsEach));
    await sleep(settleMs);
    subscription.resume();
    await until(() => seen.got === appends * eventsEach || seen.errors.length > 0, slowLimitMs);
    const all = seen.got === appends * eventsEach;
    if (all) await subscription.unsubscribe();
    return `${all ? 'all' : 'not all'} arrive, ${seen.errors.join(', ') || 'no error'}`;
  });
};
