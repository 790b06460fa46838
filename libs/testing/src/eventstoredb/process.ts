import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ControlReply, ControlRequest, EmulatorState, FaultCommand, WrittenEvent } from './control.js';
import type { EmulatorFaults } from './faults.js';
import type { EmulatorOptions } from './options.js';

/** Enough for a busy machine; who is not ready by then hangs. */
const startLimitMs = 30_000;

const here = import.meta.dirname;
/** What the test command builds. */
const builtEntry = here.includes(join('dist', 'libs'))
  ? join(here, 'main.js')
  : join(here, '../../../../dist/libs/testing/src/eventstoredb/main.js');

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** An emulator in a process of its own: it can be stopped (SIGSTOP), woken up and killed. */
export class EmulatorProcess {
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    readonly url: string,
    lines: AsyncIterator<string>,
  ) {
    void this.#listen(lines);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Asks for a fault, with what the method of the same name takes. */
  async fault<Command extends FaultCommand>(
    command: Command,
    ...given: Parameters<EmulatorFaults[Command]>
  ): Promise<void> {
    await this.#ask(command, given);
  }

  async state(): Promise<EmulatorState> {
    return (await this.#ask('state', [])) as EmulatorState;
  }

  /** What was written, from the how many-th record of the log on. */
  async events(from = 0): Promise<readonly WrittenEvent[]> {
    return (await this.#ask('events', [from])) as readonly WrittenEvent[];
  }

  async writeSystemEvent(): Promise<void> {
    await this.#ask('writeSystemEvent', []);
  }

  /** SIGSTOP makes it hang as a process, SIGCONT wakes it up, SIGKILL takes it and its log away. */
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.child.kill(name);
  }

  /** Resolves when the process is gone. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  #ask(command: ControlRequest['do'], given: readonly unknown[]): Promise<unknown> {
    this.#lastId += 1;
    const request: ControlRequest = { id: this.#lastId, do: command, with: given };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      this.child.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }

  async #listen(lines: AsyncIterator<string>): Promise<void> {
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      const { id, result, error } = JSON.parse(line.value) as ControlReply;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new Error(error));
    }
    for (const { reject } of this.#waiting.values()) reject(new Error('the emulator is gone'));
    this.#waiting.clear();
  }
}

const readyUrl = async (lines: AsyncIterator<string>): Promise<string> => {
  const line = await lines.next();
  const url = line.done === true ? undefined : /^emulator ready url=(\S+)$/.exec(line.value)?.[1];
  if (url === undefined) throw new Error('the emulator did not start');
  return url;
};

/**
 * Starts an emulator in a process of its own, which ends with this one. The test command builds it; `entry` names
 * another build.
 *
 * @throws Error when it does not start.
 */
export const startEmulatorProcess = async (
  options: EmulatorOptions = {},
  entry: string = process.env.LEDGER_TEST_EMULATOR_ENTRY ?? builtEntry,
): Promise<EmulatorProcess> => {
  const child = spawn(process.execPath, [entry, JSON.stringify(options)], { stdio: 'pipe' });
  child.stderr.pipe(process.stderr);
  // Writing to one that is gone is answered by the end of its lines.
  child.stdin.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const tooLate = setTimeout(() => child.kill('SIGKILL'), startLimitMs);
  try {
    return new EmulatorProcess(child, await readyUrl(lines), lines);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(tooLate);
  }
};
