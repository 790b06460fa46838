import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createListener } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/waiting.js';
import { answers, textOf } from './files.js';

const freePort = async (): Promise<number> => {
  const listener = createListener().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
};

/** Stands in for a ledger: says what it was sent, and is ready, or not, as it is told. */
class Upstream {
  ready = true;
  readonly server: Server = createServer((request, response) => {
    if (request.url === '/readyz') response.statusCode = this.ready ? 200 : 503;
    response.setHeader('served-by', this.name);
    if (request.url !== '/stream') return void response.end(JSON.stringify(request.headers));
    response.write('id: 1\n\n');
    return undefined;
  });

  constructor(private readonly name: string) {}

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** deploy/haproxy.cfg on ports of this machine: the names that only a container's network knows are replaced. */
const configured = (port: number, healthPort: number, upstreams: readonly number[]): string => {
  const servers = upstreams.map((one, index) => `  server ledger-${String(index)} 127.0.0.1:${String(one)}`);
  return textOf('deploy/haproxy.cfg')
    .replaceAll(/^ +server-template .*$/gm, servers.join('\n'))
    .replaceAll(' init-addr none resolvers docker', '')
    .replace('bind :8080', `bind 127.0.0.1:${String(port)}`)
    .replace('bind 127.0.0.1:8404', `bind 127.0.0.1:${String(healthPort)}`);
};

const isInstalled = answers('haproxy', '-v');
const caller = {
  LEDGER_CALLER_TENANT: 'acme',
  LEDGER_CALLER_PRINCIPAL: 'alice',
  LEDGER_CALLER_ROLE: 'agent',
};

(isInstalled ? describe : describe.skip)(
  `deploy/haproxy.cfg${isInstalled ? '' : ': skipped, haproxy is not installed'}`,
  () => {
    const upstreams = [new Upstream('one'), new Upstream('two')] as const;
    let proxy: ChildProcess | undefined;
    let folder = '';
    let url = '';
    /** What the proxy said on stderr. */
    let said = '';

    const ask = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${url}${path}`, { headers });
    /** Who answers, asked often enough that both would. */
    const servers = async (): Promise<string> => {
      const names = new Set<string | null>();
      for (let count = 0; count < 4; count += 1) names.add((await ask('/x')).headers.get('served-by'));
      return [...names].sort().join(' ');
    };
    const untilServedBy = (expected: string): Promise<true> =>
      eventually(`served by ${expected}`, async () => ((await servers()) === expected ? true : undefined));

    /** False when it ended instead: somebody else took a port that was free a moment before. */
    const startProxy = async (ports: readonly number[]): Promise<boolean> => {
      const [port, healthPort] = [await freePort(), await freePort()];
      url = `http://127.0.0.1:${String(port)}`;
      const file = join(folder, 'haproxy.cfg');
      writeFileSync(file, configured(port, healthPort, ports));
      const started = spawn('haproxy', ['-f', file], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, ...caller },
      });
      proxy = started;
      started.stderr.on('data', (text: Buffer) => (said += text.toString()));
      return eventually('a proxy that is up', async () => {
        if (started.exitCode !== null) return false;
        const answer = await fetch(`http://127.0.0.1:${String(healthPort)}/healthz`).catch(() => undefined);
        return answer?.ok === true ? true : undefined;
      });
    };

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'ledger-proxy-'));
      const ports = await Promise.all(upstreams.map((upstream) => upstream.listen()));
      let isUp = false;
      for (let tried = 0; tried < 3 && !isUp; tried += 1) isUp = await startProxy(ports);
      if (!isUp) throw new Error(`the proxy does not start: ${said}`);
      await untilServedBy('one two');
    });

    afterAll(async () => {
      if (proxy?.exitCode === null) {
        proxy.kill('SIGKILL');
        await once(proxy, 'exit');
      }
      for (const upstream of upstreams) upstream.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('says who calls, whatever the caller says under any name of the family', async () => {
      const sent = {
        'Ledger-Tenant': 'other',
        'ledger-principal': 'root',
        'LEDGER-ROLE': 'operator',
        'Ledger-Anything-Else': 'x',
        'Ledger-Wait-For': 'abcdefgh-00000000000000000007',
        'Idempotency-Key': 'k-1',
      };
      const headers = (await (await ask('/x', sent)).json()) as IncomingHttpHeaders;
      expect(
        Object.entries(headers)
          .filter(([name]) => name.startsWith('ledger-'))
          .sort(),
      ).toEqual([
        ['ledger-principal', 'alice'],
        ['ledger-role', 'agent'],
        ['ledger-tenant', 'acme'],
        ['ledger-wait-for', 'abcdefgh-00000000000000000007'],
      ]);
      expect(headers['idempotency-key']).toBe('k-1');
    });

    it('passes a stream on as it is written, long before it ends', async () => {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        get(`${url}/stream`, resolve).once('error', reject);
      });
      const [chunk] = (await once(response, 'data')) as [Buffer];
      expect(chunk.toString()).toBe('id: 1\n\n');
      response.destroy();
    });

    it('sends nothing to a ledger that is not ready, and to every living one when none is', async () => {
      upstreams[0].ready = false;
      await untilServedBy('two');
      upstreams[1].ready = false;
      await untilServedBy('one two');
      upstreams[0].ready = true;
      await untilServedBy('one');
    });
  },
);
