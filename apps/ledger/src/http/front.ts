import { lookup } from 'node:dns/promises';
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { LedgerConfig } from '../config/config.js';
import { ConfigError } from '../config/variables.js';

/**
 * Milliseconds that a connection may take to send its headers and, after that, a whole request; and that an idle one
 * is kept.
 */
const limits: ServerOptions = { requestTimeout: 120_000, keepAliveTimeout: 72_000 };

const listening = async (server: Server, port: number, host: string): Promise<AddressInfo> => {
  server.listen(port, host);
  await once(server, 'listening');
  return server.address() as AddressInfo;
};

const closed = async (server: Server): Promise<void> => {
  const end = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  server.closeAllConnections();
  await end;
};

const refusal = (error: unknown, { host, port }: LedgerConfig): unknown => {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE' || code === 'EACCES')
    return new ConfigError('LEDGER_PORT', String(port), `a port that is free on ${host} (${code})`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new ConfigError('LEDGER_HOST', host, `an address of this machine (${code})`);
  return error;
};

/**
 * The service's sockets. They listen before anything can be served; who answers is put in their place later, and no
 * connection is refused or lost between the two.
 */
export class Front {
  readonly server = createServer(limits);
  readonly #others: Server[] = [];
  #service: RequestListener | undefined;

  constructor(private answer: RequestListener) {
    this.server.on('request', (request, response) => {
      this.answer(request, response);
    });
  }

  /** For Fastify's `serverFactory`: its handler answers once the front is opened. */
  readonly serverFactory = (handler: RequestListener): Server => {
    this.#service = handler;
    return this.server;
  };

  /** From now on the service answers. */
  open(): void {
    if (this.#service === undefined) throw new Error('there is nobody to answer');
    this.answer = this.#service;
  }

  /** @throws ConfigError when the address cannot be had */
  async listen(config: LedgerConfig): Promise<AddressInfo> {
    const { host, port } = config;
    try {
      const address = await listening(this.server, port, host);
      if (host === 'localhost') await this.#listenBeside(address);
      return address;
    } catch (error) {
      throw refusal(error, config);
    }
  }

  /** Cuts what is still open. */
  async close(): Promise<void> {
    await Promise.all([this.server, ...this.#others].map(closed));
  }

  /** `localhost` is two addresses on most machines; who cannot have the other one does without. */
  async #listenBeside({ address, port }: AddressInfo): Promise<void> {
    for (const other of await lookup('localhost', { all: true }).catch(() => [])) {
      if (other.address === address) continue;
      const server = createServer(limits);
      server.on('request', (request, response) => this.server.emit('request', request, response));
      const beside = await listening(server, port, other.address).catch(() => undefined);
      if (beside !== undefined) this.#others.push(server);
    }
  }
}
