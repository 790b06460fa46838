import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** A tree of its own with the project's rules, aliases and compiler options, and just these sources. */
const checkLayers = (
  folder: string,
  sources: Record<string, string>,
): { passed: boolean; output: string } => {
  for (const name of ['package.json', 'tsconfig.base.json', '.dependency-cruiser.cjs']) {
    cpSync(join(root, name), join(folder, name));
  }
  for (const [path, text] of Object.entries({ 'apps/ledger/src/main.ts': '', ...sources })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const command = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [command, '--config', '.dependency-cruiser.cjs', 'apps', 'libs'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  return { passed: status === 0, output: stdout + stderr };
};

describe('the layer check', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ledger-layers-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('lets a lib import a lib below it', () => {
    const { passed, output } = checkLayers(folder, {
      'libs/domain/src/index.ts': 'export const task = 1;\n',
      'libs/application/src/index.ts': "export { task } from '#domain';\n",
    });
    expect(output).toContain('no dependency violations');
    expect(passed).toBe(true);
  });

  it("fails on a forbidden '#' import", () => {
    const { passed, output } = checkLayers(folder, {
      'libs/domain/src/index.ts': "export { view } from '#views';\n",
      'libs/views/src/index.ts': 'export const view = 1;\n',
    });
    expect(output).toContain('layer-domain');
    expect(passed).toBe(false);
  });

  it('fails on Nest outside the edge', () => {
    const { passed, output } = checkLayers(folder, {
      'libs/application/src/index.ts': "export { Module } from '@nestjs/common';\n",
    });
    expect(output).toContain('nest-at-the-edge');
    expect(passed).toBe(false);
  });
});
