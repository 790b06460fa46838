import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { DomainError, invalid, type Caller, type Role, type Via } from '#domain';
import { isLoopback, type Cidr } from '../config/variables.js';
import { filledHeader } from '../http/headers.js';
import type { Callers } from './callers.js';
import { traceOf } from './trace.js';

const roles: readonly Role[] = ['user', 'agent', 'operator'];

/** Characters of a tenant or principal. */
const nameLengthMax = 256;

// Control characters of ASCII and Latin-1.
// eslint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

export interface TrustedPeers {
  readonly proxies: readonly Cidr[];
  /** The service listens on this machine only, so whoever connects is a process of this machine. */
  readonly loopbackOnly: boolean;
}

/**
 * `LEDGER_AUTH=trusted-headers`: a proxy that authenticates tells the caller in `Ledger-Tenant`, `Ledger-Principal`
 * and `Ledger-Role`. From any other peer the headers count for nothing.
 */
export class TrustedHeadersCallers implements Callers {
  constructor(private readonly peers: TrustedPeers) {}

  of(request: FastifyRequest, via: Via): Caller {
    if (!this.#trusts(request.socket.remoteAddress)) throw unauthenticated('the peer is not a trusted proxy');
    const tenant = nameOf(request, 'ledger-tenant');
    const principal = nameOf(request, 'ledger-principal');
    if (tenant === undefined) throw unauthenticated('Ledger-Tenant is missing');
    if (principal === undefined) throw unauthenticated('Ledger-Principal is missing');
    return { tenant, principal, role: roleOf(request), via, ...traceOf(request) };
  }

  #trusts(address: string | undefined): boolean {
    if (address === undefined) return false;
    if (this.peers.loopbackOnly && isLoopback(address)) return true;
    if (!ipaddr.isValid(address)) return false;
    // An IPv4 peer of a dual-stack socket shows as ::ffff:a.b.c.d; `process` gives it back its own form.
    const peer = ipaddr.process(address);
    return this.peers.proxies.some(
      ([range, bits]) => peer.kind() === range.kind() && peer.match(range, bits),
    );
  }
}

const unauthenticated = (message: string): DomainError => new DomainError('unauthenticated', message);

const roleOf = (request: FastifyRequest): Role => {
  const text = nameOf(request, 'ledger-role');
  if (text === undefined) return 'user';
  const role = roles.find((known) => known === text);
  if (role === undefined) throw invalid('ledger-role', `must be one of ${roles.join(', ')}`);
  return role;
};

const nameOf = (request: FastifyRequest, header: string): string | undefined => {
  // Two callers in one request are nobody.
  const value = filledHeader(request, header);
  if (value === undefined) return undefined;
  if (value.length > nameLengthMax)
    throw invalid(header, `is longer than ${String(nameLengthMax)} characters`);
  if (controlCharacter.test(value)) throw invalid(header, 'contains a control character');
  return value;
};
