import { done } from '../asker.mjs';

const limit = 1_048_576;
const bytes = (length) => new Uint8Array(length);

/** The sizes of appends that a server takes. */
const sizes = async ({ ask, append, event, library }) => {
  const { ANY, NO_STREAM, binaryEvent } = library;
  let streams = 0;
  const sized = (length, count = 1) =>
    Array.from({ length: count }, () => binaryEvent({ type: 'T'.repeat(10), data: bytes(length) }));
  const fits = async (length, count) => {
    streams += 1;
    try {
      await append(`size-${streams}`, sized(length, count), ANY);
      return 'fits';
    } catch (error) {
      if (error.type !== 'maximum-append-size-exceeded') throw error;
      return 'too big';
    }
  };
  await ask('size: one event around the limit', async () => {
    const tried = [];
    for (const off of [-10, -1, 0, 1]) tried.push(`${off}: ${await fits(limit + off, 1)}`);
    return tried.join(', ');
  });
  await ask('size: four events around the limit', async () => {
    const tried = [];
    for (const off of [-10, 0, 1]) tried.push(`${4 * off}: ${await fits(limit / 4 + off, 4)}`);
    return tried.join(', ');
  });
  await ask('size: a million of data, a tenth of it metadata', async () =>
    done(
      await append('meta', binaryEvent({ type: 'T', data: bytes(1_000_000), metadata: bytes(100_000) }), ANY),
    ),
  );
  await ask('size: a million of data, a tenth of it type', async () =>
    done(await append('type', binaryEvent({ type: 'T'.repeat(100_000), data: bytes(1_000_000) }), ANY)),
  );
  await ask('size: too big', () => append('big', sized(1_100_000), ANY));
  await ask('size: three megabytes', () => append('bigger', sized(3_000_000), ANY));
  await ask('size: three hundred small ones', async () => {
    const many = Array.from({ length: 300 }, () => event('s', { a: 1 }));
    return done(await append('many', many, NO_STREAM));
  });
  await ask('size: the client works afterwards', async () =>
    done(await append('after', event('A'), NO_STREAM)),
  );
};

export const sizeLanes = [sizes];
