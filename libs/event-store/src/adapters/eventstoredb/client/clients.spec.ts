import type { ClientListener } from '../driver/client-listener.js';
import type { Driver } from '../driver/driver.js';
import { storeTimings } from '../limits.js';
import { Clients } from './clients.js';
import type { Clock } from './clock.js';

/** A clock whose looks the test makes. */
class HandClock implements Clock {
  #now = 0;
  readonly #looks = new Set<() => void>();

  now(): number {
    return this.#now;
  }

  every(_: number, call: () => void): () => void {
    this.#looks.add(call);
    return () => this.#looks.delete(call);
  }

  pass(milliseconds: number): void {
    for (let passed = 0; passed < milliseconds; passed += storeTimings.look) {
      this.#now += storeTimings.look;
      for (const look of [...this.#looks]) look();
    }
  }
}

/** Clients over drivers that only note when they are made and let go. */
const watched = () => {
  const notes: string[] = [];
  const listeners: ClientListener[] = [];
  const letGo: (() => void)[] = [];
  const clock = new HandClock();
  const openDriver = (listener: ClientListener): Driver => {
    notes.push('made');
    listeners.push(listener);
    const dispose = (): Promise<void> =>
      new Promise((resolve) => {
        notes.push('letting go');
        letGo.push(() => {
          notes.push('gone');
          resolve();
        });
      });
    return { dispose } as Driver;
  };
  const clients = new Clients(openDriver, storeTimings, clock, {
    replied: () => undefined,
    left: (reason, fault) => notes.push(`left${fault ? ' for a fault' : ''}: ${reason}`),
    cannotOpen: () => undefined,
  });
  return { clients, clock, notes, listeners, letGo };
};

const never = new Promise<never>(() => undefined);

describe('leaving a client', () => {
  it('ends its calls at once, and makes the next one only when it has let go', async () => {
    const { clients, notes, letGo } = watched();
    const first = clients.open();
    const call = first.calls.wait('append', never, 60_000);
    clients.leave(first, 'it was silent');
    await expect(call).rejects.toMatchObject({
      name: 'ClientLeftError',
      message: 'it was silent',
      sent: true,
    });
    expect([first.left.aborted, clients.current]).toEqual([true, undefined]);
    const next = clients.client();
    expect(notes).toEqual(['made', 'letting go', 'left: it was silent']);
    letGo[0]!();
    expect(await next).toBe(clients.current);
    expect(notes.slice(3)).toEqual(['gone', 'made']);
  });

  it('happens once, whoever asks for it again', async () => {
    const { clients, notes, letGo } = watched();
    const first = clients.open();
    clients.leave(first, 'a');
    clients.leave(first, 'b');
    letGo[0]!();
    await clients.client();
    clients.leave(first, 'c');
    expect(notes.filter((note) => note.startsWith('left'))).toEqual(['left: a']);
  });

  it('follows from a fault in it', () => {
    const { clients, notes, listeners } = watched();
    clients.open();
    listeners[0]!.fault(new TypeError('undefined is not iterable'));
    expect(notes.at(-1)).toMatch(/^left for a fault: the client failed over an answer: TypeError/);
  });

  it('for its silence takes less patience with the second, and more with those after it', async () => {
    const { clients, clock, notes, letGo, listeners } = watched();
    clients.open();
    listeners[0]!.reply('read');
    const waited: number[] = [];
    for (let index = 0; index < 5; index++) {
      const client = await clients.client();
      client.calls.wait('read', never, 600_000).catch(() => undefined);
      const began = clock.now();
      while (!client.left.aborted) clock.pass(storeTimings.look);
      waited.push(clock.now() - began);
      letGo[index]!();
    }
    expect(waited).toEqual([3_000, 2_000, 3_000, 6_000, 12_000]);
    expect(notes.filter((note) => note.startsWith('left'))).toHaveLength(5);
  });

  it('for good leaves nobody waiting for the next one', async () => {
    const { clients, letGo } = watched();
    clients.open();
    const closed = clients.close();
    letGo[0]!();
    await closed;
    await expect(clients.client()).rejects.toMatchObject({ code: 'store-unavailable' });
  });
});
