import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** Stands between a client and the database, and can fall silent as a network does. */
export class Wire {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  async to(url: string): Promise<string> {
    const { hostname, port } = new URL(url);
    const through = new URL(url);
    this.#server = createServer((client) => {
      const server = connect(Number(port), hostname);
      for (const [from, other] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => undefined);
        from.on('close', () => other.destroy());
        from.pipe(other);
      }
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    through.port = String((this.#server.address() as AddressInfo).port);
    return through.toString();
  }

  fallSilent(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.unpipe();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
