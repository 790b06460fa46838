import { Address } from './address.js';

describe('the address of the service', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['localhost', 'http://localhost:3000'],
    ['::1', 'http://[::1]:3000'],
  ])('on host %s is %s', (host, expected) => {
    const address = new Address(undefined);
    address.listens(host, 3_000);
    expect([address.listening, address.publicUrl]).toEqual([expected, expected]);
  });

  it('is told to clients as it was configured', () => {
    const address = new Address('https://ledger.example/base');
    address.listens('127.0.0.1', 3_000);
    expect(address.publicUrl).toBe('https://ledger.example/base');
    expect(address.listening).toBe('http://127.0.0.1:3000');
  });
});
