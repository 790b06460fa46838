import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TlsIdentity } from './options.js';

const folder = join(import.meta.dirname, 'tls');

/** A certificate of loopback that signs itself, good for a hundred years and for nothing but tests. */
export const loopbackIdentity = (): TlsIdentity => ({
  key: readFileSync(join(folder, 'key.pem')),
  certificate: readFileSync(join(folder, 'certificate.pem')),
});

/** For `tlsCAFile`: the authority behind {@link loopbackIdentity}, and one that has nothing to do with it. */
export const authorityFiles = {
  known: join(folder, 'certificate.pem'),
  unrelated: join(folder, 'unrelated-ca.pem'),
} as const;
