// A client of either package, asked in the same words, and answers as text that does not change from run to run.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const answerLimitMs = 60_000;
const admin = { username: 'admin', password: 'changeit' };
const noPosition = 18446744073709551615n;

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Every element of a read, or the first so many. */
export const collect = async (read, most = Infinity) => {
  const found = [];
  for await (const element of read) {
    found.push(element);
    if (found.length >= most) break;
  }
  return found;
};

export const pair = (position) => {
  if (position === undefined || position === null) return 'none';
  if (position.commit === noPosition) return 'nowhere';
  return position.commit === position.prepare ? 'commit=prepare' : 'commit≠prepare';
};

/** `revision:type` of each. */
export const listed = (events) =>
  events.length === 0 ? 'nothing' : events.map(({ event }) => `${event.revision}:${event.type}`).join(' ');

export const done = ({ success, nextExpectedRevision, position }) =>
  `${success ? 'ok' : 'not ok'} at ${nextExpectedRevision}, position ${pair(position)}`;

const described = (error) => {
  const said = {
    code: error.code,
    stream: error.streamName,
    expected: error.expectedVersion ?? error.expectedState,
    actual: error.actualVersion ?? error.actualState,
    limit: error.maxAppendSize,
    message: error.message === '' ? undefined : JSON.stringify(error.message),
  };
  const parts = Object.entries(said).filter(([, value]) => value !== undefined);
  return [`refused: ${error.type ?? 'no type'}`, ...parts.map(([key, value]) => `${key}=${value}`)].join(' ');
};

const withinLimit = (asked) =>
  Promise.race([
    asked,
    new Promise((_, reject) => {
      setTimeout(() => reject(new Error(`no answer within ${answerLimitMs} ms`)), answerLimitMs).unref();
    }),
  ]);

/** Opens the one client of this process. `path` is how appends go: `batch` or `classic`. */
export const openAsker = (url, packageName, path) => {
  const library = require(packageName);
  const isNewer = library.EventStoreDBClient === undefined;
  const Client = isNewer ? library.KurrentDBClient : library.EventStoreDBClient;
  // A busy machine is no reason for another answer.
  const patient = `${url}${url.includes('?') ? '&' : '?'}defaultDeadline=${answerLimitMs}`;
  const client = Client.connectionString(isNewer ? patient.replace(/^esdb/, 'kurrentdb') : patient);
  const namespace = `facts-${process.pid}-${Date.now().toString(36)}`;
  // Credentials with a call make a client leave batch append.
  const credentials = path === 'classic' ? { credentials: admin } : {};
  const named = (stream) => `${namespace}.${stream}`;
  const at = (revision) => ({ [isNewer ? 'streamState' : 'expectedRevision']: revision, ...credentials });
  const event = (type, data = {}, more = {}) => library.jsonEvent({ type, data, ...more });
  const answers = {};
  const clean = (text) =>
    text
      .replaceAll(namespace, 'NS')
      .replace(/ exceeded after .*?"/i, ' exceeded …"')
      .replace(/\s+/g, ' ');
  return {
    library,
    client,
    isNewer,
    answers,
    named,
    event,
    events: (prefix, count) => Array.from({ length: count }, (_, i) => event(`${prefix}${i}`)),
    append: (stream, events, revision, more = {}) =>
      client.appendToStream(named(stream), events, { ...at(revision), ...more }),
    appendRaw: (stream, events, revision) => client.appendToStream(stream, events, at(revision)),
    read: (stream, options = {}) => collect(client.readStream(named(stream), options)),
    readAll: (options) => collect(client.readAll(options)),
    /** Asks one question; the answer, or how it was refused, is kept under its name. */
    ask: async (question, asking) => {
      try {
        answers[question] = clean(String(await withinLimit(asking())));
      } catch (error) {
        answers[question] = clean(described(error));
      }
    },
    close: () => Promise.race([Promise.resolve(client.dispose()), sleep(1000)]),
  };
};
