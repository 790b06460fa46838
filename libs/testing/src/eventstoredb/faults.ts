import type { Gate } from './gate.js';

/** What an append looks like to somebody who chooses which reply gets lost. */
export interface SeenAppend {
  readonly stream: string;
  readonly eventTypes: readonly string[];
  readonly path: 'batch' | 'classic';
}

export type CallKind = 'append' | 'read' | 'subscribe';

/**
 * Instead of doing what was asked. `timeout` is said after an append was committed, which is how a server says that it
 * does not know; to reads and subscriptions it is said in their place.
 */
export type AnswerInstead = 'not-leader' | 'not-ready' | 'unavailable' | 'timeout';

export interface Which {
  /** How many appends it happens to. */
  readonly count?: number;
  /** How many pass before. */
  readonly after?: number;
  readonly streamPrefix?: string;
  readonly where?: (append: SeenAppend) => boolean;
}

/** With an error, or (`ended`) without one. */
export type SubscriptionEnd = 'shut-down' | 'unavailable' | 'too-slow' | 'ended';

/** What the server can do to its connections, its port and the subscriptions at it. */
export interface ServerHandle {
  dropConnections(): void;
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  dropSubscriptions(end: SubscriptionEnd): void;
  silenceSubscriptions(): void;
  resumeSubscriptions(): void;
}

interface Chosen {
  left: number;
  after: number;
  readonly which: Which;
}

export interface Whom {
  /** How many calls it happens to; all of them, unless told. */
  readonly calls?: number;
  readonly of?: readonly CallKind[];
  /** Where the leader is, for `not-leader`; the emulator's own port, unless told. */
  readonly leaderPort?: number;
}

interface Instead {
  readonly answer: AnswerInstead;
  readonly of: readonly CallKind[];
  left: number;
}

const everyKind: readonly CallKind[] = ['append', 'read', 'subscribe'];

const taken = (chosen: Chosen[], append: SeenAppend): boolean => {
  const found = chosen.find(({ which }) => matches(which, append));
  if (found === undefined) return false;
  if (found.after > 0) {
    found.after -= 1;
    return false;
  }
  found.left -= 1;
  if (found.left <= 0) chosen.splice(chosen.indexOf(found), 1);
  return true;
};

const matches = ({ streamPrefix, where }: Which, append: SeenAppend): boolean =>
  (streamPrefix === undefined || append.stream.startsWith(streamPrefix)) && (where?.(append) ?? true);

const choose = (which: Which): Chosen => ({ left: which.count ?? 1, after: which.after ?? 0, which });

/** What a test may break. Everything holds until it is used up or undone; {@link reset} undoes all of it. */
export class EmulatorFaults {
  readonly #swallowed: Chosen[] = [];
  readonly #doubled: Chosen[] = [];
  #instead: Instead | undefined;
  #oldLogEnd: number | undefined;
  #newSubscriptionsSilent = false;
  #clockAheadMs = 0;
  #leaderPort: number | undefined;

  constructor(
    private readonly server: ServerHandle,
    /** For the server; tests call {@link hang} and {@link slowDown}. */
    readonly gate: Gate,
  ) {}

  /** Commits the append and says nothing, as when the reply gets lost. The next one, unless told which. */
  swallowReplies(which: Which = {}): void {
    this.#swallowed.push(choose(which));
  }

  /** Answers twice, as a real server does after it refused; only the batch path can. */
  replyTwice(which: Which = {}): void {
    this.#doubled.push(choose(which));
  }

  /** Calls get this answer; replaces what was told before. */
  answer(answer: AnswerInstead, whom: Whom = {}): void {
    this.#leaderPort = whom.leaderPort;
    this.#instead = { answer, of: whom.of ?? everyKind, left: whom.calls ?? Infinity };
  }

  stopAnswering(): void {
    this.#instead = undefined;
  }

  /** Accepts connections and requests and answers nothing, subscriptions included. Requests wait for {@link resume}. */
  hang(): void {
    this.gate.hang();
  }

  /** Ends {@link hang}; what waited is done now, in its order. */
  resume(): void {
    this.gate.resume();
  }

  /** Every reply and every event goes out so many milliseconds late; 0 ends it. */
  slowDown(delayMs: number): void {
    this.gate.slowDown(delayMs);
  }

  /** The server's clock runs so many milliseconds ahead of everybody else's; negative: behind. */
  setClockAhead(milliseconds: number): void {
    this.#clockAheadMs = milliseconds;
  }

  /** Resets every connection; new ones are welcome at once. */
  dropConnections(): void {
    this.server.dropConnections();
  }

  /** Resets every connection and closes the port. What was written stays. */
  goAway(): Promise<void> {
    return this.server.goAway();
  }

  /** Opens the same port again. */
  comeBack(): Promise<void> {
    return this.server.comeBack();
  }

  /** Ends every open subscription. */
  dropSubscriptions(end: SubscriptionEnd = 'shut-down'): void {
    this.server.dropSubscriptions(end);
  }

  /** Open subscriptions bring nothing more, without an error; with `newOnes` later ones neither. */
  silenceSubscriptions(options: { newOnes?: boolean } = {}): void {
    this.#newSubscriptionsSilent = options.newOnes ?? false;
    this.server.silenceSubscriptions();
  }

  /** Ends the silence; what was missed is brought then. */
  resumeSubscriptions(): void {
    this.#newSubscriptionsSilent = false;
    this.server.resumeSubscriptions();
  }

  /** Reads see the log as it was before the given position, as at a deposed leader. Appends see all of it. */
  readOldLog(before: number): void {
    this.#oldLogEnd = before;
  }

  readNewLog(): void {
    this.#oldLogEnd = undefined;
  }

  /** Undoes everything but {@link goAway} and what was dropped. */
  reset(): void {
    this.setClockAhead(0);
    this.#swallowed.length = 0;
    this.#doubled.length = 0;
    this.stopAnswering();
    this.readNewLog();
    this.slowDown(0);
    this.resume();
    this.resumeSubscriptions();
  }

  /** For the server: whether this reply is lost. */
  takesReply(append: SeenAppend): boolean {
    return taken(this.#swallowed, append);
  }

  /** For the server: whether this reply goes out twice. */
  doublesReply(append: SeenAppend): boolean {
    return taken(this.#doubled, append);
  }

  /** For the server: what to answer instead. */
  takeAnswer(kind: CallKind): AnswerInstead | undefined {
    const instead = this.#instead;
    if (!instead?.of.includes(kind)) return undefined;
    instead.left -= 1;
    if (instead.left <= 0) this.#instead = undefined;
    return instead.answer;
  }

  /** For the server. */
  get leaderPort(): number | undefined {
    return this.#leaderPort;
  }

  /** For the server. */
  get clockAheadMs(): number {
    return this.#clockAheadMs;
  }

  /** For the server: where reads take the log to end. */
  get logEnd(): number {
    return this.#oldLogEnd ?? Infinity;
  }

  /** For the server. */
  get newSubscriptionsAreSilent(): boolean {
    return this.#newSubscriptionsSilent;
  }
}
