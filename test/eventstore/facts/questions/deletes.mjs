import { done, listed, pair, sleep } from '../asker.mjs';

const typeOf = async (asking) => {
  try {
    return await asking();
  } catch (error) {
    return error.type;
  }
};

const softDeletes = async ({ ask, append, read, event, events, library, client, named }) => {
  const { NO_STREAM, STREAM_EXISTS } = library;
  await ask('delete: softly', async () => {
    await append('x1', events('A', 2), NO_STREAM);
    const { position } = await client.deleteStream(named('x1'));
    return `position ${pair(position)}, then ${await typeOf(async () => listed(await read('x1')))}`;
  });
  await ask('delete: softly, begun again', async () => {
    const result = await append('x1', event('C'), NO_STREAM);
    // The stream shows again a moment after the append.
    await sleep(200);
    return `${done(result)}, then ${listed(await read('x1'))}`;
  });
  await ask('delete: softly, then stream exists', async () => {
    await append('x2', event('A'), NO_STREAM);
    await client.deleteStream(named('x2'));
    return done(await append('x2', event('B'), STREAM_EXISTS));
  });
  await ask('delete: at a wrong revision', async () => {
    await append('x6', event('A'), NO_STREAM);
    return client.deleteStream(named('x6'), { expectedRevision: 77n });
  });
};

const tombstones = async ({ ask, append, read, event, library, client, named }) => {
  await ask('tombstone: append', async () => {
    await append('x3', event('A'), library.NO_STREAM);
    await client.tombstoneStream(named('x3'));
    return done(await append('x3', event('B'), library.ANY));
  });
  await ask('tombstone: read', () => read('x3'));
};

const settings = async ({ ask, append, read, event, events, library, client, named }) => {
  await ask('settings: one event at most', async () => {
    await append('x4', events('A', 3), library.NO_STREAM);
    await client.setStreamMetadata(named('x4'), { maxCount: 1 });
    return listed(await read('x4'));
  });
  await ask('settings: truncated before 2', async () => {
    await append('x5', events('A', 3), library.NO_STREAM);
    await client.setStreamMetadata(named('x5'), { truncateBefore: 2 });
    const left = listed(await read('x5'));
    return `${left}, then at 2: ${done(await append('x5', event('D'), 2n))}`;
  });
};

export const deleteLanes = [softDeletes, tombstones, settings];
