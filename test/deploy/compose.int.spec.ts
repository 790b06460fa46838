import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { answers, repository, textOf, yamlOf } from './files.js';

interface Service {
  readonly image: string;
  readonly profiles: readonly string[];
  readonly restart: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck?: unknown;
  readonly build?: string;
  readonly read_only?: boolean;
  readonly networks: readonly string[] | Readonly<Record<string, unknown>>;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const { services, volumes } = yamlOf('docker-compose.yml') as Compose;
const all = Object.entries(services);
const named = (profile: string): string[] =>
  all.filter(([, { profiles }]) => profiles.includes(profile)).map(([name]) => name);
const networksOf = ({ networks }: Service): readonly string[] =>
  Array.isArray(networks) ? (networks as string[]) : Object.keys(networks);
/** `${NAME:-default}` as it is when nothing is set. */
const unset = (text: string): string => text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');

/** The client's plugin, or the program of its own that came before it. */
const composeCommand = (
  [
    ['docker', 'compose'],
    ['docker-compose', undefined],
  ] as const
).find(([program, word]) => answers(program, ...(word === undefined ? [] : [word]), 'version'));

describe('docker-compose.yml', () => {
  it('docker compose up starts the single deployment, and each service belongs to one deployment', () => {
    expect(textOf('.env')).toMatch(/^COMPOSE_PROFILES=single$/m);
    expect(named('single')).toEqual(['database', 'postgres', 'ledger', 'proxy']);
    expect(named('cluster')).toHaveLength(all.length - named('single').length);
  });

  it('the cluster has three database nodes that know each other, and two ledgers behind one name', () => {
    const seeds = named('cluster').map((name) => services[name]?.environment.EVENTSTORE_GOSSIP_SEED);
    expect(seeds.filter((seed) => seed !== undefined)).toEqual([
      'database-2:2113,database-3:2113',
      'database-1:2113,database-3:2113',
      'database-1:2113,database-2:2113',
    ]);
    for (const name of ['ledger-1', 'ledger-2'])
      expect(services[name]?.networks).toMatchObject({ callers: { aliases: ['ledger'] } });
  });

  it.each(all)(
    '%s is started again however it ended, its image has a version, its health is checked',
    (name) => {
      const service = services[name]!;
      expect(service.restart).toBe('always');
      expect(service.image).toMatch(service.build === undefined ? /:\d+\.\d+/ : /^task-ledger$/);
      expect(service.healthcheck !== undefined || textOf('Dockerfile').includes('\nHEALTHCHECK ')).toBe(true);
    },
  );

  it.each(all)('%s is published on loopback at most, and keeps its data in named volumes', (name) => {
    const service = services[name]!;
    for (const port of service.ports ?? []) expect(unset(port)).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    const sources = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    for (const source of sources.filter((text) => !text.startsWith('./')))
      expect(Object.keys(volumes)).toContain(source);
  });

  it('two services of a deployment never share a volume, but for the backups', () => {
    const used = all.flatMap(([, service]) => service.volumes ?? []).map((volume) => volume.split(':')[0]);
    const own = used.filter((name) => name !== 'backups' && name?.startsWith('./') === false);
    expect(new Set(own).size).toBe(own.length);
  });

  it('a ledger cannot write its own image, believes the proxy alone, and stores in database and PostgreSQL', () => {
    for (const name of ['ledger', 'ledger-1', 'ledger-2']) {
      const { environment, read_only: readOnly } = services[name]!;
      expect(readOnly).toBe(true);
      expect(environment).toMatchObject({ LEDGER_AUTH: 'trusted-headers' });
      const proxies = ['proxy', 'balancer'].map((proxy) => services[proxy]?.networks);
      const address = unset(environment.LEDGER_TRUSTED_PROXIES ?? '').replace('/32', '');
      expect(unset(JSON.stringify(proxies))).toBe(
        JSON.stringify(Array.from({ length: 2 }, () => ({ callers: { ipv4_address: address } }))),
      );
      expect(environment.LEDGER_EVENT_STORE).toMatch(/^esdb:/);
      expect(environment.LEDGER_VIEWS).toMatch(/^postgres:/);
    }
  });

  it('what authenticates nobody is on no network with the proxy', () => {
    for (const [name, service] of all.filter(([name]) => /^(database|postgres)/.test(name)))
      expect([name, networksOf(service)]).toEqual([name, ['stores']]);
  });

  it("the database's standard projections are off until one setting turns them on", () => {
    const database = all.filter(([name]) => name.startsWith('database'));
    for (const [, { environment }] of database) {
      expect(environment.EVENTSTORE_RUN_PROJECTIONS).toBe('${DATABASE_PROJECTIONS:-None}');
      expect(environment.EVENTSTORE_START_STANDARD_PROJECTIONS).toBe('true');
    }
  });

  if (composeCommand === undefined) {
    it.skip('docker compose takes the file: skipped, neither the compose plugin nor docker-compose is installed', () =>
      undefined);
  } else {
    it.each(['single', 'cluster'])('docker compose takes the file, profile %s', (profile) => {
      const [program, word] = composeCommand;
      const words = [...(word === undefined ? [] : [word]), '--profile', profile, 'config', '--quiet'];
      const { status, stderr } = spawnSync(program, words, { cwd: repository, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    });
  }
});
