import { isKnownClientFault } from './client-faults.js';

const frame =
  '    at ClientDuplexStreamImpl.<anonymous> (/app/node_modules/@eventstore/db-client/dist/streams/appendToStream/batchAppend.js:23:34)';
const second = 'undefined is not iterable (cannot read property Symbol(Symbol.iterator))';

const thrown = (error: Error, ...frames: string[]): Error => {
  error.stack = `${error.name}: ${error.message}\n${frames.join('\n')}`;
  return error;
};

describe('a fault of the client that ends no process', () => {
  it('is a second answer to an append', () => {
    expect(isKnownClientFault(thrown(new TypeError(second), frame))).toBe(true);
  });

  it('is what waited in front of a stream of appends that broke', () => {
    const broken = Object.assign(new Error('14 UNAVAILABLE: Connection dropped'), { code: 14, metadata: {} });
    expect(isKnownClientFault(thrown(broken, '    at node:internal', 'for call at', frame))).toBe(true);
  });

  it.each([
    [
      'the same error of our own',
      thrown(new TypeError(second), '    at fold (/app/dist/fold.js:1:1)', frame),
    ],
    ['another error from there', thrown(new TypeError('x is not a function'), frame)],
    [
      'an error of gRPC from elsewhere',
      thrown(Object.assign(new Error('14'), { code: 14, metadata: {} }), '    at x'),
    ],
    ['no error at all', second],
  ])('is not %s', (_, error) => {
    expect(isKnownClientFault(error)).toBe(false);
  });
});
