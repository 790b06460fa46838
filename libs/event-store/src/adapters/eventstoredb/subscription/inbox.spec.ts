import { recordedAt } from './fixtures/recorded.js';
import { Inbox } from './inbox.js';
import { inboxEventsMax, inboxTextMax } from './timings.js';

describe('an inbox', () => {
  let turned: string[];
  let inbox: Inbox;
  const tap = { pause: () => turned.push('off'), resume: () => turned.push('on') };
  const { signal } = new AbortController();

  beforeEach(() => {
    turned = [];
    inbox = new Inbox(() => tap);
  });

  it('turns the tap off when it is full, and on again when there is room, once each', () => {
    for (let place = 0; place < inboxEventsMax + 16; place++) inbox.push(recordedAt(place));
    expect(turned).toEqual(['off']);
    inbox.take(inboxEventsMax / 2);
    expect(turned).toEqual(['off']);
    inbox.take(inboxEventsMax / 2);
    expect(turned).toEqual(['off', 'on']);
  });

  it('counts text as well as events', () => {
    const large = { ...recordedAt(1), data: 'x'.repeat(inboxTextMax / 2) };
    inbox.push(large);
    inbox.push(large);
    expect(turned).toEqual(['off']);
    inbox.take(2);
    expect(turned).toEqual(['off', 'on']);
  });

  it('tells once that all has been taken, and not while something is left', () => {
    inbox.push(recordedAt(1));
    inbox.becomeLive();
    expect(inbox.takeLive()).toBe(false);
    inbox.take(10);
    expect([inbox.takeLive(), inbox.takeLive()]).toEqual([true, false]);
  });

  it('gathers a whole batch, or what there is when nothing more is to come', async () => {
    inbox.push(recordedAt(1));
    const whole = inbox.gathered(2, 1_000_000, signal);
    inbox.push(recordedAt(2));
    await whole;
    expect(inbox.take(2)).toHaveLength(2);
    inbox.push(recordedAt(3));
    const rest = inbox.gathered(2, 1_000_000, signal);
    inbox.becomeLive();
    await rest;
    expect(inbox.take(2)).toHaveLength(1);
    inbox.push(recordedAt(4));
    await inbox.gathered(2, 1, signal);
  });
});
