import type { Clock } from './clock.js';
import { CallExpiredError, WaitingCalls } from './waiting-calls.js';

const timings = { silence: 3_000, silenceOfOneKind: 5_000, look: 250 };
const never = new Promise<never>(() => undefined);

/** Time that goes on when it is told to, look by look. */
class HandClock implements Clock {
  #now = 0;
  #looks: (() => void) | undefined;

  now(): number {
    return this.#now;
  }

  every(_: number, call: () => void): () => void {
    this.#looks = call;
    return () => {
      this.#looks = undefined;
    };
  }

  get isLooking(): boolean {
    return this.#looks !== undefined;
  }

  /** `at each look` is called before it. */
  pass(milliseconds: number, atEachLook: () => void = () => undefined): void {
    for (let passed = 0; passed < milliseconds; passed += timings.look) {
      this.#now += timings.look;
      atEachLook();
      this.#looks?.();
    }
  }

  /** The process was stopped, or busy, for so long. */
  standStill(milliseconds: number): void {
    this.#now += milliseconds;
    this.#looks?.();
  }
}

const watched = (): { clock: HandClock; calls: WaitingCalls; silences: string[] } => {
  const clock = new HandClock();
  const silences: string[] = [];
  return { clock, calls: new WaitingCalls(timings, clock, (reason) => silences.push(reason)), silences };
};

/** A call whose outcome is looked at by the test. */
const ignored = (call: Promise<unknown>): void => {
  call.catch(() => undefined);
};

describe('the watchdog over waiting calls', () => {
  it('says that the client is silent when a call waits and nothing comes for the time', () => {
    const { clock, calls, silences } = watched();
    ignored(calls.wait('append', never, 60_000));
    clock.pass(2_750);
    expect(silences).toEqual([]);
    clock.pass(250);
    expect(silences).toEqual(['no reply of any kind while 1 calls waited']);
  });

  it('counts from the last reply of any kind', () => {
    const { clock, calls, silences } = watched();
    ignored(calls.wait('append', never, 60_000));
    clock.pass(2_000);
    calls.reply('read');
    clock.pass(2_750);
    expect(silences).toEqual([]);
  });

  it('counts from the oldest call where the last reply came before it', () => {
    const { clock, calls, silences } = watched();
    calls.reply('append');
    clock.pass(60_000);
    ignored(calls.wait('read', never, 60_000));
    clock.pass(2_750);
    expect(silences).toEqual([]);
    clock.pass(250);
    expect(silences).toHaveLength(1);
  });

  it('says so too when only appends go unanswered', () => {
    const { clock, calls, silences } = watched();
    ignored(calls.wait('append', never, 60_000));
    clock.pass(4_750, () => calls.reply('read'));
    expect(silences).toEqual([]);
    clock.pass(250, () => calls.reply('read'));
    expect(silences).toEqual(['no reply to any append, though there were other replies']);
  });

  it('blames nobody for a time in which this process stood still', () => {
    const { clock, calls, silences } = watched();
    ignored(calls.wait('append', never, 60_000));
    clock.standStill(10_000);
    clock.pass(2_500);
    expect(silences).toEqual([]);
  });

  it('rests while nothing waits', async () => {
    const { clock, calls, silences } = watched();
    expect(await calls.wait('read', Promise.resolve(1), 1_000)).toBe(1);
    clock.pass(10_000);
    expect([clock.isLooking, silences]).toEqual([false, []]);
  });
});

describe('a waiting call', () => {
  it('is over after its own time, though others are answered', async () => {
    const { clock, calls } = watched();
    const call = calls.wait('append', never, 2_000);
    clock.pass(2_000, () => calls.reply('append'));
    await expect(call).rejects.toThrow(CallExpiredError);
    expect(calls.size).toBe(0);
  });

  it('ends with all others when the client is left', async () => {
    const { clock, calls } = watched();
    const waiting = [calls.wait('append', never, 9_000), calls.wait('read', never, 9_000)];
    calls.failAll(new Error('left'));
    for (const call of waiting) await expect(call).rejects.toThrow('left');
    expect(clock.isLooking).toBe(false);
  });
});
