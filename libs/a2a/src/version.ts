import { VersionNotSupportedError } from '@a2a-js/sdk/errors';

/** Versions of the protocol that are served, Major.Minor. */
export const versionsServed: readonly string[] = ['1.0'];

/** What a request without a version means (specification §3.6.2). */
const versionOfSilence = '0.3';

const majorMinor = /^(\d+\.\d+)(?:\.\d+)?$/;

/**
 * C01: Major.Minor of what was asked for, in the header or else in the query; patch digits do not count.
 * @throws VersionNotSupportedError when it is not served
 */
export const negotiateVersion = (header: string | undefined, query: string | undefined): string => {
  const asked = (header ?? '').trim() || (query ?? '').trim() || versionOfSilence;
  const version = majorMinor.exec(asked)?.[1];
  if (version !== undefined && versionsServed.includes(version)) return version;
  throw new VersionNotSupportedError({
    message: `This version of A2A is not served here. Served: ${versionsServed.join(', ')}`,
    metadata: { served: versionsServed.join(', ') },
  });
};
