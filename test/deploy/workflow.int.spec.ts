import { describe, expect, it } from '@jest/globals';
import { textOf, yamlOf } from './files.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}
interface Job {
  readonly 'runs-on': string;
  readonly 'timeout-minutes': number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> };
  readonly services?: Readonly<Record<string, { readonly image: string }>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const workflow = yamlOf('.github/workflows/ci.yml') as { readonly jobs: Readonly<Record<string, Job>> };
const jobs = Object.entries(workflow.jobs);
const scripts = (JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }).scripts;

describe('.github/workflows/ci.yml', () => {
  it.each(jobs)('%s ends by itself, and each of its steps runs or uses one thing', (_, job) => {
    expect(job['timeout-minutes']).toBeGreaterThan(0);
    for (const step of job.steps)
      expect([step.run, step.uses].filter((one) => one !== undefined)).toHaveLength(1);
    for (const { uses } of job.steps) expect(uses ?? 'a/b@v1').toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
  });

  it.each(jobs)('%s runs npm scripts that exist', (_, job) => {
    const named = job.steps.flatMap(({ run = '' }) => [...run.matchAll(/npm (?:run )?([\w:]+)/g)]);
    const own = named.map(([, name]) => name ?? '').filter((name) => name !== 'ci');
    for (const name of own) expect(Object.keys(scripts)).toContain(name);
  });

  it('verifies on every Node that the package allows, and the stores on an old and a current line', () => {
    expect(workflow.jobs.verify?.strategy?.matrix.node).toEqual(['20', '22', '24']);
    const lines = workflow.jobs.stores?.strategy?.matrix.include as { image: string; url: string }[];
    expect(lines.map(({ image }) => image)).toEqual([
      expect.stringMatching(/^eventstore\/eventstore:23\.10\./),
      expect.stringMatching(/^eventstore\/eventstore:24\.2\./),
      expect.stringMatching(/^kurrentplatform\/kurrentdb:2\d\.\d/),
    ]);
    const { LEDGER_TEST_EVENTSTORE: eventStore, LEDGER_TEST_POSTGRES: postgres } =
      workflow.jobs.stores?.env ?? {};
    expect(eventStore).toBe('${{ matrix.url }}');
    expect(postgres).toMatch(/^postgres:/);
  });
});
