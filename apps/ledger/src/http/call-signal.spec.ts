import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { getEventListeners } from 'node:events';
import { callSignal } from './call-signal.js';

const responseOf = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

describe('the signal of a call that waits', () => {
  it('fires when the client leaves, and lets go of the drain', () => {
    const drain = new AbortController();
    const response = responseOf();
    const signal = callSignal(response, drain.signal)();
    expect(signal.aborted).toBe(false);
    response.emit('close');
    expect(signal.aborted).toBe(true);
    expect(getEventListeners(drain.signal, 'abort')).toEqual([]);
  });

  it('fires when the service drains', () => {
    const drain = new AbortController();
    const signal = callSignal(responseOf(), drain.signal)();
    drain.abort();
    expect(signal.aborted).toBe(true);
  });

  it('has fired where the client is gone, or the service is draining, already', () => {
    const gone = responseOf();
    gone.destroy();
    expect(callSignal(gone, new AbortController().signal)().aborted).toBe(true);
    expect(callSignal(responseOf(), AbortSignal.abort())().aborted).toBe(true);
  });

  it('is one for all who ask, and listens to nothing until somebody does', () => {
    const drain = new AbortController();
    const signalOf = callSignal(responseOf(), drain.signal);
    expect(getEventListeners(drain.signal, 'abort')).toEqual([]);
    expect(signalOf()).toBe(signalOf());
    expect(getEventListeners(drain.signal, 'abort')).toHaveLength(1);
  });
});
