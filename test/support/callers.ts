/** A caller as the proxy in front of the service would announce it (`LEDGER_AUTH=trusted-headers`). */
export interface TestCaller {
  readonly tenant: string;
  readonly principal: string;
  readonly role: 'user' | 'agent' | 'operator';
}

/** The people of the field cases: alice and al2 of one tenant, mallory of another, and the agent that works for acme. */
export const alice: TestCaller = { tenant: 'acme', principal: 'alice', role: 'user' };
export const bob: TestCaller = { tenant: 'acme', principal: 'bob', role: 'user' };
export const al2: TestCaller = { tenant: 'acme', principal: 'al2', role: 'operator' };
export const mallory: TestCaller = { tenant: 'other', principal: 'mallory', role: 'user' };
export const workerAgent: TestCaller = { tenant: 'acme', principal: 'worker', role: 'agent' };
export const foreignAgent: TestCaller = { tenant: 'other', principal: 'worker', role: 'agent' };

export const callerHeaders = (caller: TestCaller | undefined): Record<string, string> =>
  caller === undefined
    ? {}
    : {
        'Ledger-Tenant': caller.tenant,
        'Ledger-Principal': caller.principal,
        'Ledger-Role': caller.role,
      };
