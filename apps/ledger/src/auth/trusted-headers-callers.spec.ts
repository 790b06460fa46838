import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { DomainError } from '#domain';
import { AnonymousCallers } from './anonymous-callers.js';
import { TrustedHeadersCallers } from './trusted-headers-callers.js';

const request = (
  headers: Record<string, string>,
  { address = '127.0.0.1', distinct = {} }: { address?: string; distinct?: Record<string, string[]> } = {},
): FastifyRequest =>
  ({
    id: 'r-1',
    headers,
    raw: { headersDistinct: distinct },
    socket: { remoteAddress: address },
  }) as unknown as FastifyRequest;

const alice = { 'ledger-tenant': 'acme', 'ledger-principal': 'alice' };
const local = new TrustedHeadersCallers({ proxies: [], loopbackOnly: true });
const open = new TrustedHeadersCallers({ proxies: [ipaddr.parseCIDR('10.0.0.0/8')], loopbackOnly: false });

const refusalOf = (callers: TrustedHeadersCallers, from: FastifyRequest): DomainError => {
  try {
    callers.of(from, 'ledger-api');
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('the caller was accepted');
};

describe('callers', () => {
  it('are anonymous operators of the tenant default when nobody is asked', () => {
    expect(new AnonymousCallers().of(request(alice), 'a2a-jsonrpc')).toEqual({
      tenant: 'default',
      principal: 'anonymous',
      role: 'operator',
      via: 'a2a-jsonrpc',
      requestId: 'r-1',
    });
  });

  it('are users of the tenant the headers name, unless a role is told', () => {
    const caller = { tenant: 'acme', principal: 'alice', via: 'ledger-api', requestId: 'r-1' };
    expect(local.of(request(alice), 'ledger-api')).toEqual({ ...caller, role: 'user' });
    expect(local.of(request({ ...alice, 'ledger-role': 'agent' }), 'ledger-api')).toEqual({
      ...caller,
      role: 'agent',
    });
  });

  it.each([
    ['tenant', { 'ledger-principal': 'alice' }],
    ['principal', { 'ledger-tenant': 'acme' }],
    ['name in the principal', { 'ledger-tenant': 'acme', 'ledger-principal': '' }],
  ])('without a %s are unauthenticated', (_, headers) => {
    expect(refusalOf(local, request(headers)).code).toBe('unauthenticated');
  });

  it.each([
    ['ledger-role', { ...alice, 'ledger-role': 'root' }],
    ['ledger-tenant', { ...alice, 'ledger-tenant': 'a'.repeat(257) }],
    ['ledger-principal', { ...alice, 'ledger-principal': 'al\u0007ice' }],
  ])('with a broken %s are refused by its name', (field, headers) => {
    expect(refusalOf(local, request(headers)).detail).toEqual({ field });
  });

  it('named twice are nobody, while a comma in one name is a name', () => {
    const twice = { ...alice, 'ledger-principal': 'alice, al2' };
    const distinct = { 'ledger-principal': ['alice', 'al2'] };
    expect(refusalOf(local, request(twice, { distinct })).detail).toEqual({ field: 'ledger-principal' });
    const once = { 'ledger-principal': ['CN=alice,O=acme'] };
    const named = request({ ...alice, 'ledger-principal': 'CN=alice,O=acme' }, { distinct: once });
    expect(local.of(named, 'ledger-api').principal).toBe('CN=alice,O=acme');
  });

  it.each([
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['11.1.2.3', false],
    ['127.0.0.1', false],
    ['fd00::1', false],
  ])('told by the peer %s off loopback are believed: %s', (address, believed) => {
    const from = request(alice, { address });
    if (believed) expect(open.of(from, 'ledger-api').principal).toBe('alice');
    else expect(refusalOf(open, from).code).toBe('unauthenticated');
  });

  it('carry a well-formed traceparent, and lose a malformed one', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    expect(local.of(request({ ...alice, traceparent }), 'ledger-api').traceparent).toBe(traceparent);
    expect(local.of(request({ ...alice, traceparent: 'x' }), 'ledger-api')).not.toHaveProperty('traceparent');
  });
});
