import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConnectionString } from './connection-string.js';
import { EventStoreSettingError } from './setting-error.js';

const password = 'hunter2';

/** The one line that refuses it. */
const refusal = (text: string): string => {
  try {
    parseConnectionString(text);
  } catch (error) {
    if (error instanceof EventStoreSettingError) return error.message;
    throw error;
  }
  throw new Error('it was taken');
};

describe('a connection string', () => {
  it.each([
    ['esdb://localhost', 'db-client', [{ name: 'localhost', port: 2113 }]],
    ['esdb+discover://cluster.dns:2113', 'db-client', [{ name: 'cluster.dns', port: 2113 }]],
    ['kurrentdb://10.0.0.1:1234/', 'kurrentdb-client', [{ name: '10.0.0.1', port: 1_234 }]],
    [
      'kurrentdb://a:1,b:2,c',
      'kurrentdb-client',
      [
        { name: 'a', port: 1 },
        { name: 'b', port: 2 },
        { name: 'c', port: 2_113 },
      ],
    ],
  ])('%s names its client and its hosts', (text, clientPackage, hosts) => {
    expect(parseConnectionString(text)).toMatchObject({ clientPackage, hosts, tls: true });
  });

  it('gets a deadline that no clock is behind, a short gossip and the leader, unless they are given', () => {
    expect(parseConnectionString('esdb://a?tls=false').forClient).toBe(
      'esdb://a:2113?defaultDeadline=300000&gossipTimeout=1&nodePreference=leader&tls=false',
    );
    const given = parseConnectionString('esdb://a?tls=false&default_deadline=20000&GossipTimeout=3');
    expect(given.forClient).toBe(
      'esdb://a:2113?defaultDeadline=20000&gossipTimeout=3&nodePreference=leader&tls=false',
    );
    expect(given.wireDeadline).toBe(20_000);
  });

  it('hands user and password on to the client, percent-encoded, and to no log', () => {
    const settings = parseConnectionString('esdb://admin:a%3Ab%40c%25@db:2113?tls=true');
    expect(settings.user).toBe('admin');
    expect(settings.forClient).toMatch(/^esdb:\/\/admin:a%3Ab%40c%25@db:2113\?/);
    expect(settings.forLogs).toBe('esdb://db:2113');
  });

  it.each([
    ['no scheme', `localhost:2113`, /begins with esdb:\/\//],
    ['another scheme', `http://admin:${password}@db`, /begins with esdb:\/\//],
    ['no host', `esdb://`, /host/],
    ['a port beyond all ports', `esdb://db:70000`, /host/],
    ['two hosts to discover', `esdb+discover://a,b`, /takes one host/],
    [
      'an unknown option',
      `esdb://admin:${password}@db?tlsCaFil=x`,
      /unknown option tlsCaFil; known are tls,/,
    ],
    ['an option without a value', `esdb://db?tls`, /option tls has no value/],
    ['an option twice', `esdb://db?tls=true&TLS=false`, /option tls is given twice/],
    ['a raw colon in the password', `esdb://admin:${password}:x@db`, /%3A/],
    ['a raw @ in the password', `esdb://admin:${password}@x@db`, /%40/],
    ['a raw % in the password', `esdb://admin:${password}%@db`, /%25/],
    ['a raw ? in the password', `esdb://admin:12?${password}@db`, /unknown option \(not a name\)/],
    [
      'a raw ? before what looks like an option',
      `esdb://admin:12?tls=${password}@db`,
      /option tls is not allowed/,
    ],
    ['a user without a password', `esdb://admin@db`, /user:password/],
    ['credentials that would be dropped', `esdb://admin:${password}@db?tls=false`, /tls=false/],
    ['a file that is missing', `esdb://db?tlsCAFile=/nowhere/ca.pem`, /tlsCAFile=\/nowhere\/ca\.pem.*ENOENT/],
    ['half of a client certificate', `esdb://db?userKeyFile=${import.meta.filename}`, /given together/],
    ['a check that has no effect in the client', `esdb://db?tlsVerifyCert=false`, /tlsVerifyCert=false/],
    ['a follower', `esdb://db?nodePreference=follower`, /nodePreference=follower is not allowed: leader/],
    ['errors as values', `esdb://db?throwOnAppendFailure=false`, /throwOnAppendFailure/],
    [
      'a keep-alive the client warns of',
      `esdb://db?keepAliveInterval=500`,
      /a whole number from 10000, or -1/,
    ],
    ['a deadline that is no number', `esdb://db?defaultDeadline=soon`, /a whole number from 1000/],
  ])('with %s is refused in one line without the password', (_, text, line) => {
    const message = refusal(text);
    expect(message).toMatch(line);
    expect(message).not.toContain('\n');
    expect(message).not.toContain(password);
  });

  it('takes a certificate file, and nothing else for one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'connection-string-'));
    const file = join(folder, 'ca.pem');
    writeFileSync(file, 'not a certificate');
    expect(refusal(`esdb://db?tlsCAFile=${encodeURIComponent(file)}`)).toMatch(/in PEM form/);
    rmSync(folder, { recursive: true });
  });
});
