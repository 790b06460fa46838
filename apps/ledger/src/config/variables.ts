import ipaddr from 'ipaddr.js';

/** The credentials of a URL, well-formed or not, are for no terminal and no log. */
const withoutCredentials = (value: string): string =>
  value.replace(/^([^:]*:\/*).*@/s, '$1***@').replace(/(password=)[^&]*/gi, '$1***');

/** A setting that stops the start: one line naming the variable, its value and what is allowed. */
export class ConfigError extends Error {
  constructor(
    readonly variable: string,
    readonly value: string,
    readonly allowed: string,
  ) {
    super(`${variable}=${JSON.stringify(withoutCredentials(value))} is not allowed: ${allowed}`);
    this.name = 'ConfigError';
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads one value, or says what would be allowed. */
export type Reader<Value> = (text: string) => Value | Refusal;

/** What is allowed instead. */
export class Refusal {
  constructor(readonly allowed: string) {}
}

/** An empty variable counts as an absent one: container files pass `LEDGER_X=` for "not set". */
export const read = <Value>(
  environment: Environment,
  variable: string,
  fallback: Value,
  reader: Reader<Value>,
): Value => {
  const text = environment[variable];
  if (text === undefined || text === '') return fallback;
  const value = reader(text);
  if (value instanceof Refusal) throw new ConfigError(variable, text, value.allowed);
  return value;
};

export const integer =
  (least: number, most: number, unit: string): Reader<number> =>
  (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most
      ? value
      : new Refusal(`${unit} from ${String(least)} to ${String(most)}`);
  };

export const oneOf =
  <const Value extends string>(allowed: readonly Value[], later: readonly string[] = []): Reader<Value> =>
  (text) => {
    const found = allowed.find((value) => value === text);
    if (found !== undefined) return found;
    const known = later.find((prefix) => text.startsWith(prefix));
    const today = `today ${allowed.length === 1 ? 'only ' : ''}${allowed.join(', ')}`;
    return new Refusal(known === undefined ? today : `${today}; ${known} is not served yet`);
  };

export const pattern =
  (form: RegExp, allowed: string): Reader<string> =>
  (text) =>
    form.test(text) ? text : new Refusal(allowed);

/** Base URL without query, fragment, credentials or trailing slash. */
export const baseUrl: Reader<string> = (text) => {
  const allowed = new Refusal('an absolute http or https URL without credentials, query or fragment');
  if (!URL.canParse(text)) return allowed;
  const url = new URL(text);
  const plain = url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (!plain || (url.protocol !== 'http:' && url.protocol !== 'https:')) return allowed;
  return text.replace(/\/+$/, '');
};

export type Cidr = ReturnType<typeof ipaddr.parseCIDR>;

/** Comma-separated CIDRs. */
export const cidrs: Reader<readonly Cidr[]> = (text) => {
  const names = text.split(',').map((name) => name.trim());
  return names.every((name) => ipaddr.isValidCIDR(name))
    ? names.map((name) => ipaddr.parseCIDR(name))
    : new Refusal('CIDRs separated by commas, such as 10.0.0.0/8,fd00::/8');
};

/** Whether only this machine can reach a host's sockets. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
