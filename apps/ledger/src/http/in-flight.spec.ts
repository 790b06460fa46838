import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { InFlight } from './in-flight.js';

const serve = (): { server: EventEmitter; inFlight: InFlight; request: () => EventEmitter } => {
  const server = new EventEmitter();
  const request = (): EventEmitter => {
    const response = new EventEmitter();
    server.emit('request', {}, response);
    return response;
  };
  return { server, inFlight: new InFlight(server as unknown as Server), request };
};

const hourMs = 3_600_000;

describe('requests in flight', () => {
  it('are those that were taken and not yet closed', () => {
    const { inFlight, request } = serve();
    const first = request();
    request();
    first.emit('close');
    expect(inFlight.count).toBe(1);
  });

  it('C46 are waited for until the last one is closed', async () => {
    const { inFlight, request } = serve();
    const [first, second] = [request(), request()];
    const settled = inFlight.settled(hourMs);
    first.emit('close');
    second.emit('close');
    await settled;
    expect(inFlight.count).toBe(0);
  });

  it('are not waited for when there are none', async () => {
    await serve().inFlight.settled(hourMs);
  });

  it('C46 are waited for no longer than the limit', async () => {
    const { inFlight, request } = serve();
    request();
    await inFlight.settled(1);
    expect(inFlight.count).toBe(1);
  });
});
