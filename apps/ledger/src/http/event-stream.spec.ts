import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { jest } from '@jest/globals';
import { EventStream, formatFrame, stalledMsMax, type SseFrame } from './event-stream.js';

/** A response as the stream sees it: takes text, says when it is full, and can be closed by the other side. */
class FakeResponse extends EventEmitter {
  readonly written: string[] = [];
  status = 0;
  ended = false;
  full = false;
  writableNeedDrain = false;
  destroyed = false;
  writeHead(status: number): this {
    this.status = status;
    return this;
  }
  flushHeaders(): void {
    this.emit('head');
  }
  write(text: string): boolean {
    this.written.push(text);
    this.emit('written');
    return !this.full;
  }
  end(): void {
    this.ended = true;
  }
  destroy(): void {
    this.destroyed = true;
  }
}

const open = (): { response: FakeResponse; stream: EventStream; drain: AbortController } => {
  const response = new FakeResponse();
  const drain = new AbortController();
  return { response, drain, stream: new EventStream(response as unknown as ServerResponse, drain.signal) };
};

const frame = (id: string): SseFrame => ({ id, data: { n: id } });

async function* framesOf(...batches: SseFrame[][]): AsyncGenerator<readonly SseFrame[]> {
  await Promise.resolve();
  yield* batches;
}

/** Yields one batch, then waits for the signal as a quiet subscription does. */
async function* quiet(signal: AbortSignal): AsyncGenerator<readonly SseFrame[]> {
  yield [frame('1')];
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
}

describe('an event stream', () => {
  it('writes a frame as id, data and an empty line', () => {
    expect(formatFrame({ id: 't-1.4', data: { text: 'a\nb' } })).toBe(
      'id: t-1.4\ndata: {"text":"a\\nb"}\n\n',
    );
  });

  it('sends what its source gives, in order, and closes when the source ends', async () => {
    const { response, stream } = open();
    await stream.serve(framesOf([frame('1'), frame('2')], [frame('3')]));
    expect(response.status).toBe(200);
    expect(response.written.join('')).toBe([frame('1'), frame('2'), frame('3')].map(formatFrame).join(''));
    expect(response.ended).toBe(true);
  });

  it('C19 tells its source at once that the client has gone', async () => {
    const { response, stream } = open();
    const served = stream.serve(quiet(stream.signal));
    await EventEmitter.once(response, 'written');
    response.emit('close');
    await served;
    expect(stream.signal.aborted).toBe(true);
  });

  it('C46 ends cleanly when the service drains', async () => {
    const { response, stream, drain } = open();
    const served = stream.serve(quiet(stream.signal));
    await EventEmitter.once(response, 'written');
    drain.abort();
    await served;
    expect(response.ended).toBe(true);
  });

  it('C19 waits for a slow reader instead of piling up', async () => {
    const { response, stream } = open();
    response.full = true;
    const served = stream.serve(framesOf([frame('1')], [frame('2')]));
    await EventEmitter.once(response, 'written');
    await new Promise((resolve) => setImmediate(resolve));
    expect(response.written).toHaveLength(1);
    response.full = false;
    response.emit('drain');
    await served;
    expect(response.written).toHaveLength(2);
  });

  it('ends when the client goes while it is waited for', async () => {
    const { response, stream } = open();
    response.full = true;
    const served = stream.serve(framesOf([frame('1')], [frame('2')]));
    await EventEmitter.once(response, 'written');
    response.emit('close');
    await served;
    expect(response.written).toHaveLength(1);
    expect(response.ended).toBe(true);
  });

  it('C19 cuts a reader that takes nothing for too long', async () => {
    jest.useFakeTimers();
    try {
      const { response, stream } = open();
      response.full = true;
      const served = stream.serve(framesOf([frame('1')], [frame('2')]));
      await EventEmitter.once(response, 'written');
      jest.advanceTimersByTime(stalledMsMax);
      await served;
      expect(response.destroyed).toBe(true);
      expect(stream.signal.aborted).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  });

  it('lets go of the drain signal when it ends', async () => {
    const { response, stream, drain } = open();
    const listeners = jest.spyOn(drain.signal, 'removeEventListener');
    await stream.serve(framesOf([frame('1')]));
    expect(response.ended).toBe(true);
    expect(listeners).toHaveBeenCalled();
  });

  it('survives a reset connection', () => {
    const { response, stream } = open();
    response.emit('error', new Error('ECONNRESET'));
    expect(stream.signal.aborted).toBe(true);
  });

  it('passes on what its source throws, after closing', async () => {
    const { response, stream } = open();
    const failing = async function* (): AsyncGenerator<readonly SseFrame[]> {
      yield [frame('1')];
      await Promise.reject(new Error('the log is away'));
    };
    await expect(stream.serve(failing())).rejects.toThrow('the log is away');
    expect(response.ended).toBe(true);
  });
});
