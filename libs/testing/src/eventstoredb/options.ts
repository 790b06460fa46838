/** The server lines whose answers are known; what differs between them is in the facts beside the tests. */
export type ServerVersion = '24.2.0' | '23.10.8';

/** Whose generated code the emulator speaks: two of them never share a process. */
export type ClientPackage = '@eventstore/db-client' | '@kurrent/kurrentdb-client';

export interface TlsIdentity {
  /** PEM. */
  readonly key: string | Buffer;
  /** PEM, the whole chain. */
  readonly certificate: string | Buffer;
}

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface EmulatorOptions {
  readonly version?: ServerVersion;
  readonly clientPackage?: ClientPackage;
  /** Whether the server says it has batch append; without it clients take the classic path. On. */
  readonly batchAppend?: boolean;
  /** 0, the default, takes a free one. Kept when the emulator goes away and comes back. */
  readonly port?: number;
  readonly tls?: TlsIdentity;
  /** When given, every call but those about the server itself must carry one of them. */
  readonly credentials?: readonly Credentials[];
  /** What a slow consumer meets; by default what the version does. */
  readonly slowConsumer?: 'drop' | 'catch-up';
  readonly limits?: Partial<EmulatorLimits>;
}

/** What bounds the emulator. An append beyond a limit of the log is refused; nothing is ever forgotten silently. */
export interface EmulatorLimits {
  readonly maximumEvents: number;
  /** Of data, metadata, names and types. */
  readonly maximumBytes: number;
  /** Of the data of one append, in bytes; metadata and types are free. */
  readonly maximumAppendSize: number;
  /** How long an append that was begun may stay unfinished, in milliseconds. */
  readonly commitTimeoutMs: number;
  /** Live events that wait for one subscription before it counts as slow. */
  readonly liveBuffer: number;
  /** Live events written at once that make even a quick consumer slow, where slow ones are dropped. */
  readonly liveBurst: number;
  /** Events a subscription or a read takes from the log at once. */
  readonly pageSize: number;
  /** Requests and replies held back while the emulator hangs. */
  readonly maximumHeld: number;
}

export const defaultLimits: EmulatorLimits = {
  maximumEvents: 1_000_000,
  maximumBytes: 512 * 1024 * 1024,
  maximumAppendSize: 1024 * 1024,
  commitTimeoutMs: 2000,
  liveBuffer: 32,
  liveBurst: 256,
  pageSize: 32,
  maximumHeld: 100_000,
};
