/** Where the service can be reached; known once it listens. */
export class Address {
  #base = '';

  constructor(private readonly configured: string | undefined) {}

  /** Base URL for clients, without a trailing slash. */
  get publicUrl(): string {
    return this.configured ?? this.#base;
  }

  /** Base URL of the socket itself. */
  get listening(): string {
    return this.#base;
  }

  /** Tells where the socket was opened. */
  listens(host: string, port: number): void {
    this.#base = `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  }
}
