import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A port on loopback that can be closed and opened again, and whose connections can be reset. */
export class LoopbackPort {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #number: number;

  constructor(
    number: number,
    private readonly accept: (socket: Socket) => void,
  ) {
    this.#number = number;
  }

  /** 0 before it was opened for the first time, when any port is good. */
  get number(): number {
    return this.#number;
  }

  /** @throws Error when somebody else has the port. */
  async open(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer((socket) => this.#accepted(socket));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#number, '127.0.0.1', resolve);
    });
    this.#number = (server.address() as AddressInfo).port;
  }

  /** Resets the connections too. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    this.reset();
    await closed;
  }

  /** Resets every connection, as when the process behind it was killed. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  #accepted(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => this.#sockets.delete(socket));
    // Whoever breaks off is no concern of the server's.
    socket.on('error', () => undefined);
    this.accept(socket);
  }
}
