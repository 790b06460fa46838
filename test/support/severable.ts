import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to a server that can be cut, and mended, on the same port: what a server that goes away looks like. */
export class Severable {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  /** `target`: host and port of the server behind. */
  constructor(private readonly target: { readonly host: string; readonly port: number }) {}

  get port(): number {
    return this.#port;
  }

  /** The URL of what is behind, through this. */
  through(url: string): string {
    return url.replace(/(:\/\/(?:.*@)?)[^:/?]+:\d+/, `$1127.0.0.1:${String(this.#port)}`);
  }

  async mend(): Promise<void> {
    const server = createServer((socket) => {
      this.#join(socket, connect(this.target));
    });
    this.#server = server;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Resets every connection, and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  #join(one: Socket, other: Socket): void {
    const both = [one, other];
    for (const socket of both) {
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        for (const each of both) each.destroy();
      });
      // A connection that is reset says so; its close is all that matters here.
      socket.on('error', () => undefined);
    }
    one.pipe(other).pipe(one);
  }
}

/** Host and port that a URL names first. */
export const targetOf = (url: string): { readonly host: string; readonly port: number } => {
  const [, host, port] = /:\/\/(?:.*@)?([^:/?]+):(\d+)/.exec(url) ?? [];
  if (host === undefined || port === undefined) throw new Error('the URL names no host and port');
  return { host, port: Number(port) };
};
