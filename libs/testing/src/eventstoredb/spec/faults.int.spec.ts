import { startEventStoreDbEmulator, type EventStoreDbEmulator } from '../index.js';
import { EmulatorClient } from './emulator-client.js';

let emulator: EventStoreDbEmulator;
let client: EmulatorClient;
let prefix = 0;
/** A stream that no other test writes to. */
const fresh = (): string => `stream-${String((prefix += 1))}`;
const written = (stream: string): number => emulator.log.stream(stream).length;

beforeAll(async () => {
  emulator = await startEventStoreDbEmulator();
  client = new EmulatorClient(emulator.url);
  await client.append('warm-up');
});
afterEach(() => emulator.faults.reset());
afterAll(async () => {
  await client.dispose();
  await emulator.stop();
});

/** Resolves when the log has it, whatever the caller was told. */
const whenWritten = (stream: string): Promise<void> =>
  new Promise((resolve) => {
    const stop = emulator.log.listen(() => {
      if (written(stream) === 0) return;
      stop();
      resolve();
    });
  });

describe('what an emulator can be told to do', () => {
  it('swallows the reply of the chosen append, which is committed', async () => {
    const [chosen, other] = [fresh(), fresh()];
    emulator.faults.swallowReplies({ where: ({ stream }) => stream === chosen });
    const committed = whenWritten(chosen);
    let answered = false;
    void client.append(chosen).then(() => (answered = true));
    await committed;
    expect(await client.append(other)).toBe('0');
    expect(answered).toBe(false);
  });

  it('lets so many appends pass before it swallows a reply', async () => {
    const [first, second] = [fresh(), fresh()];
    emulator.faults.swallowReplies({ after: 1 });
    expect(await client.append(first)).toBe('0');
    const committed = whenWritten(second);
    void client.append(second);
    await committed;
  });

  it.each([
    ['not-leader', 'refused: not-leader'],
    ['not-ready', 'refused: unknown: Could not recognize Server Is Not Ready'],
    ['unavailable', 'refused: unavailable'],
  ] as const)('answers %s to so many appends, and writes none of them', async (answer, expected) => {
    const stream = fresh();
    emulator.faults.answer(answer, { calls: 1, of: ['append'] });
    expect(await client.append(stream)).toMatch(new RegExp(`^${expected}`));
    expect(written(stream)).toBe(0);
    expect(await client.append(stream)).toBe('0');
  });

  it('says timeout after it committed', async () => {
    const stream = fresh();
    emulator.faults.answer('timeout', { calls: 1 });
    expect(await client.append(stream)).toMatch(/^refused: deadline-exceeded/);
    expect(written(stream)).toBe(1);
  });

  it('hangs until it is told to go on, and then does what waited, in order', async () => {
    const stream = fresh();
    emulator.faults.hang();
    const waiting = Promise.all([client.append(stream), client.append(stream), client.read('warm-up')]);
    while (emulator.faults.gate.held < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(written(stream)).toBe(0);
    emulator.faults.resume();
    expect(await waiting).toEqual(['0', '1', 'T']);
  });

  it('goes away and comes back on the same port with what was written', async () => {
    const stream = fresh();
    await client.append(stream, 'Before');
    const { port } = emulator;
    await emulator.faults.goAway();
    expect(await client.append(stream)).toMatch(/^refused/);
    await emulator.faults.comeBack();
    expect(emulator.port).toBe(port);
    let answer = '';
    while (answer !== '1') answer = await client.append(stream, 'After');
    expect(await client.read(stream)).toBe('Before After');
  });

  it('reads an old log while appends see the new one', async () => {
    const stream = fresh();
    await client.append(stream, 'Old');
    emulator.faults.readOldLog(emulator.log.end);
    expect(await client.append(stream, 'New')).toBe('1');
    expect(await client.read(stream)).toBe('Old');
    emulator.faults.readNewLog();
    expect(await client.read(stream)).toBe('Old New');
  });

  it('silences the open subscriptions without an error, and no new one', async () => {
    const stream = fresh();
    const silenced = client.subscribe(stream);
    await silenced.until('caught up');
    emulator.faults.silenceSubscriptions();
    await client.append(stream);
    const heard = client.subscribe(stream);
    await heard.until(stream);
    expect(silenced.all).toEqual(['caught up']);
    emulator.faults.resumeSubscriptions();
    await silenced.until(stream);
  });

  it.each([
    ['shut-down', 'refused: cancelled'],
    ['unavailable', 'refused: unavailable'],
    ['too-slow', 'refused: timeout'],
    ['ended', 'end'],
  ] as const)('ends subscriptions: %s', async (how, told) => {
    const seen = client.subscribe(fresh());
    await seen.until('caught up');
    emulator.faults.dropSubscriptions(how);
    await seen.until(told);
  });

  it('resets connections', async () => {
    const seen = client.subscribe(fresh());
    await seen.until('caught up');
    emulator.faults.dropConnections();
    await seen.until('refused: unavailable');
  });

  it('has a clock of its own', async () => {
    emulator.faults.setClockAhead(60_000);
    expect(await client.append(fresh())).toMatch(/^refused: deadline-exceeded/);
  });
});

describe('the bounds of an emulator', () => {
  it('refuses an append beyond its limit, and says which', async () => {
    const small = await startEventStoreDbEmulator({ limits: { maximumEvents: 2 } });
    expect(small.log.write('a', [])).toEqual([]);
    small.log.writeSystemEvent('$a', 'A', {});
    expect(() => small.log.writeSystemEvent('$a', 'B', {})).toThrow('holds 2 events at most');
    await small.stop();
  });
});
