import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnService } from '../support/index.js';

describe('a bad setting stops the start with one line', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledger-settings-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  // Each variable has its own unit test; these are about the process.
  it.each([
    ['LEDGER_PORT', 'eighty'],
    ['LEDGER_NAMESPACE', 'my-ledger'],
  ])('%s=%s is named with its value', async (variable, value) => {
    const child = spawnService(folder, { environment: { [variable]: value } });
    const [stdout, stderr, [code]] = await Promise.all([
      child.stdout === null ? '' : text(child.stdout),
      child.stderr === null ? '' : text(child.stderr),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    expect(code).not.toBe(0);
    const lines = (stdout + stderr).trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(variable);
    expect(lines[0]).toContain(value);
  });

  it('auth none off loopback is refused', async () => {
    const child = spawnService(folder, { auth: 'none', environment: { LEDGER_HOST: '0.0.0.0' } });
    const [stderr, [code]] = await Promise.all([
      child.stderr === null ? '' : text(child.stderr),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('LEDGER_AUTH');
  });
});
