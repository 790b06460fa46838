import { consumers, type Consumer } from '#application';
import { ConfigError, Refusal, type Reader } from './variables.js';

/** Where the events are: files of this process, or a server that several processes share. */
export type EventStoreSetting =
  { readonly kind: 'embedded' } | { readonly kind: 'eventstoredb'; readonly url: string };

/** Where views and state are. */
export type ViewsSetting = { readonly kind: 'sqlite' } | { readonly kind: 'postgres'; readonly url: string };

/** What an instance does: it answers calls, or stands for what one instance at a time runs. */
export type Role = 'api' | Consumer;
export const roles: readonly Role[] = ['api', ...consumers];

export interface Deployment {
  readonly eventStore: EventStoreSetting;
  readonly views: ViewsSetting;
  readonly roles: readonly Role[];
}

const eventStores =
  'embedded, or a connection string: esdb://host:2113, esdb+discover://…, kurrentdb://…, kurrentdb+discover://…';

/** The form only: what stands behind the scheme is the business of the event store that is opened with it. */
export const eventStoreSetting: Reader<EventStoreSetting> = (text) => {
  if (text === 'embedded') return { kind: 'embedded' };
  return /^(?:esdb|kurrentdb)(?:\+discover)?:\/\/\S+$/.test(text)
    ? { kind: 'eventstoredb', url: text }
    : new Refusal(eventStores);
};

export const viewsSetting: Reader<ViewsSetting> = (text) => {
  if (text === 'sqlite') return { kind: 'sqlite' };
  return /^postgres(?:ql)?:\/\/\S+$/.test(text) && URL.canParse(text)
    ? { kind: 'postgres', url: text }
    : new Refusal('sqlite, or the URL of a database: postgres://user@host:5432/database');
};

const isRole = (name: string): name is Role => roles.some((role) => role === name);

/** `all`, or some of the roles, separated by commas; answered in their own order. */
export const rolesSetting: Reader<readonly Role[]> = (text) => {
  if (text === 'all') return roles;
  const names = text.split(',').map((name) => name.trim());
  return names.every(isRole)
    ? roles.filter((role) => names.includes(role))
    : new Refusal(`all, or some of ${roles.join(', ')}, separated by commas`);
};

/** Settings that are good each, and make no ledger together. @throws ConfigError */
export const checkDeployment = ({ eventStore, views, roles: own }: Deployment): void => {
  if (views.kind === 'postgres' && eventStore.kind === 'embedded') {
    const allowed =
      'views on PostgreSQL follow an event store that instances share: LEDGER_EVENT_STORE must be esdb://… or ' +
      'kurrentdb://… then, and is embedded';
    throw new ConfigError('LEDGER_VIEWS', views.url, allowed);
  }
  if (views.kind === 'sqlite' && own.length < roles.length) {
    const allowed =
      'all, with LEDGER_VIEWS=sqlite: roles are split between instances that share a PostgreSQL';
    throw new ConfigError('LEDGER_ROLES', own.join(','), allowed);
  }
};

/** A connection string for people: its hosts and database, no credentials and no options. */
export const placeOf = (url: string): string =>
  url.replace(/^([^:]*:\/*).*@/s, '$1').replace(/\/?(?:\?.*)?$/s, '');
