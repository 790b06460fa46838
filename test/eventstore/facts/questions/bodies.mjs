import { done, listed } from '../asker.mjs';

const streamNames = {
  'letters of all kinds': 'näme-日本',
  'a space': 'a b',
  'a slash': 'a/b?c#d',
  'a thousand letters': 'x'.repeat(1000),
  'an at sign': 'a@b',
};

const names = async ({ ask, append, appendRaw, read, event, library, named }) => {
  for (const [what, stream] of Object.entries(streamNames))
    await ask(`name: ${what}`, async () => {
      const result = await append(stream, event('A'), library.NO_STREAM);
      const [first] = await read(stream);
      return `${done(result)}, ${first.event.streamId === named(stream) ? 'the same' : 'another'} comes back`;
    });
  await ask('name: a type with letters of all kinds', async () => {
    await append('types', event('Täsk'), library.NO_STREAM);
    return listed(await read('types'));
  });
  await ask('name: a stream of the system', async () => {
    const result = await appendRaw(`$${named('system')}`, event('A'), library.ANY);
    return done(result);
  });
};

const bodies = {
  'a list': [1],
  'a text': 'x',
  'a number': 1,
  nothing: null,
  'a number too big': 9007199254740993n,
  'nothing inside': { a: null, b: undefined },
};

const data = async ({ ask, append, read, event, library }) => {
  for (const [what, body] of Object.entries(bodies))
    await ask(`data: ${what}`, async () => {
      const stream = `data-${what}`;
      await append(stream, event('A', typeof body === 'bigint' ? Number(body) : body), library.NO_STREAM);
      const [first] = await read(stream);
      return `${first.event.isJson ? 'JSON' : 'bytes'} ${JSON.stringify(first.event.data)}`;
    });
};

const metadata = async ({ ask, append, read, event, library }) => {
  await ask('metadata: what comes back', async () => {
    const given = { $correlationId: 'c', $causationId: 'b', x: '1' };
    await append('metadata', event('A', {}, { metadata: given }), library.NO_STREAM);
    return JSON.stringify((await read('metadata'))[0].event.metadata);
  });
  await ask('metadata: none', async () => {
    await append('no-metadata', event('A'), library.NO_STREAM);
    return String((await read('no-metadata'))[0].event.metadata);
  });
  await ask('created: five at once', async () => {
    await append(
      'created',
      Array.from({ length: 5 }, () => event('A')),
      library.NO_STREAM,
    );
    const times = (await read('created')).map(({ event: { created } }) => created);
    const near = Math.abs(times[0].getTime() - Date.now()) < 5000;
    const different = new Set(times.map((time) => time.getTime())).size;
    return `${times[0] instanceof Date ? 'a date' : 'no date'}, ${near ? 'now' : 'another time'}, ${different} different`;
  });
};

export const bodyLanes = [names, data, metadata];
