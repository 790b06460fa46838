import { VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { negotiateVersion } from './version.js';

describe('C01 versions', () => {
  it.each([
    ['1.0', undefined],
    ['1.0.7', undefined],
    [' 1.0 ', undefined],
    [undefined, '1.0'],
    ['', '1.0.1'],
  ])('header %p and query %p are served as 1.0', (header, query) => {
    expect(negotiateVersion(header, query)).toBe('1.0');
  });

  it.each([
    [undefined, undefined],
    ['', undefined],
    ['0.3', undefined],
    ['0.3.0', '1.0'],
    ['99.0', '1.0'],
    ['1.1', undefined],
    ['1', undefined],
    ['1.0.', undefined],
    ['latest', undefined],
    [undefined, '99.0'],
  ])('header %p and query %p are not served', (header, query) => {
    expect(() => negotiateVersion(header, query)).toThrow(VersionNotSupportedError);
  });
});
