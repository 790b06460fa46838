const headEnd = Buffer.from('\r\n\r\n');
const okLine = Buffer.from('HTTP/1.1 20');
const refusalBytesShown = 600;
const lengthHeader = /\r\ncontent-length: *(\d+)/i;

/** Reads one HTTP/1.1 answer with a Content-Length at a time; other framings are refused by name. */
export class ResponseReader {
  /** @param {string} expect text that every good body contains; empty: any body is good */
  constructor(expect) {
    this.expect = Buffer.from(expect);
    /** @type {Buffer | undefined} */
    this.received = undefined;
    this.bodyStart = 0;
    this.end = Infinity;
  }

  reset() {
    this.received = undefined;
    this.bodyStart = 0;
    this.end = Infinity;
  }

  /** @param {Buffer} chunk @returns {'partial' | 'good' | { refusal: string }} */
  push(chunk) {
    const received = this.received === undefined ? chunk : Buffer.concat([this.received, chunk]);
    if (this.end === Infinity) this.readHead(received);
    if (received.length < this.end) {
      this.received = received;
      return 'partial';
    }
    const answer = this.judge(received);
    this.reset();
    return answer;
  }

  /** @param {Buffer} received */
  readHead(received) {
    const at = received.indexOf(headEnd);
    if (at < 0) return;
    const head = received.toString('latin1', 0, at);
    const length = lengthHeader.exec(head)?.[1];
    if (length === undefined) throw new Error(`an answer without Content-Length: ${head.slice(0, 200)}`);
    this.bodyStart = at + headEnd.length;
    this.end = this.bodyStart + Number(length);
  }

  /** @param {Buffer} received @returns {'good' | { refusal: string }} */
  judge(received) {
    const ok = received.compare(okLine, 0, okLine.length, 0, okLine.length) === 0;
    if (ok && received.indexOf(this.expect, this.bodyStart) >= 0) return 'good';
    return { refusal: received.toString('utf8', 0, refusalBytesShown) };
  }
}
