/**
 * Load generator, run as a process of its own: a closed loop over plain sockets, one request in flight on each
 * connection. It does as little as a client can (no HTTP library, no JSON), so that on two cores the server is what
 * is measured; what it costs itself is in every result (`cpuMicroseconds`).
 *
 * Reads one JSON document from stdin (see `runLoad` in client.mjs), writes one JSON line to stdout.
 */
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { ResponseReader } from './response-reader.mjs';
import { percentile } from '../lib/statistics.mjs';

/** @typedef {import('./client.mjs').Load} Load */

/** @param {Load} load @returns {Buffer[]} every request as it goes on the wire */
function requestsOf({ method, path, headers, bodies }) {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ].join('\r\n');
  if (bodies.length === 0) return [Buffer.from(`${head}\r\n\r\n`)];
  return bodies.map((body) =>
    Buffer.from(`${head}\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`),
  );
}

/** One connection: sends the next request when the answer to the last one is whole. */
class Connection {
  /** @param {Run} run */
  constructor(run) {
    this.run = run;
    this.sentAt = 0;
    this.reader = new ResponseReader(run.load.expect);
    this.socket = connect({ host: '127.0.0.1', port: run.load.port, noDelay: true });
    this.socket.on('connect', () => this.send());
    this.socket.on('data', (chunk) => this.receive(chunk));
    this.socket.on('error', (error) => run.fail(error.message));
    this.socket.on('close', () => run.closed());
  }

  send() {
    const request = this.run.nextRequest();
    if (request === undefined) return void this.socket.end();
    this.sentAt = performance.now();
    this.socket.write(request);
  }

  /** @param {Buffer} chunk */
  receive(chunk) {
    const answer = this.reader.push(chunk);
    if (answer === 'partial') return;
    this.run.answered(performance.now() - this.sentAt, answer);
    if (this.run.load.pauseMs === 0) this.send();
    else setTimeout(() => this.send(), this.run.load.pauseMs);
  }
}

class Run {
  /** @param {Load} load */
  constructor(load) {
    this.load = load;
    this.requests = requestsOf(load);
    this.sent = 0;
    /** @type {number[]} */
    this.latencies = [];
    this.refused = 0;
    this.firstRefusal = '';
    this.open = load.connections;
    this.startedAt = performance.now();
    this.endsAt = this.startedAt + load.seconds * 1000;
    this.lastAnswerAt = this.startedAt;
  }

  nextRequest() {
    if (this.sent >= this.load.requestsMax || performance.now() >= this.endsAt) return undefined;
    return this.requests[this.sent++ % this.requests.length];
  }

  /** @param {number} latency milliseconds @param {'good' | { refusal: string }} answer */
  answered(latency, answer) {
    this.lastAnswerAt = performance.now();
    this.latencies.push(latency);
    if (answer === 'good') return;
    this.refused += 1;
    this.firstRefusal ||= answer.refusal;
  }

  /** @param {string} why @returns {never} */
  fail(why) {
    process.stderr.write(`load generator: ${why}\n`);
    process.exit(1);
  }

  closed() {
    this.open -= 1;
    if (this.open === 0) this.report();
  }

  report() {
    const { user, system } = process.cpuUsage(cpuAtStart);
    const answers = this.latencies.length;
    const sorted = Float64Array.from(this.latencies).sort();
    const seconds = (this.lastAnswerAt - this.startedAt) / 1000;
    process.stdout.write(
      JSON.stringify({
        answers,
        seconds,
        perSecond: answers / seconds,
        p50: percentile(sorted, 50),
        p99: percentile(sorted, 99),
        most: sorted.at(-1),
        refused: this.refused,
        firstRefusal: this.firstRefusal,
        cpuMicroseconds: (user + system) / answers,
      }) + '\n',
    );
  }
}

/** @type {Load} */
const load = JSON.parse(await text(process.stdin));
const cpuAtStart = process.cpuUsage();
const run = new Run(load);
for (let i = 0; i < load.connections; i += 1) new Connection(run);
