import type { Configuration } from './configuration.js';
import { explore } from './explore.js';
import { explored } from './explored.js';

/**
 * Every state of these configurations is visited, with the real code, none cut off. In every state: one terminal event,
 * last in its stream; one owning parent; no double link, line or opening; nothing touched below an asked task, or before
 * the certificate is open. Where nothing is left to do: the seven promises of `checks.ts`.
 *
 * Small scopes: three or four tasks, at most three cancellations. Not in them: remote and unreadable tasks, the worker
 * side, repeats, caps, keys, dry runs, clocks.
 */
export const keepPromises = (configurations: readonly Configuration[]): void => {
  it.each(configurations.map((configuration) => [configuration.name, configuration] as const))(
    '%s',
    (name, configuration) => {
      const { violation, isComplete, states, quiet } = explore(configuration);
      expect(violation).toBeUndefined();
      expect(isComplete).toBe(true);
      expect(quiet).toBeGreaterThan(0);
      expect(states).toBeGreaterThanOrEqual(explored.get(name) ?? Number.POSITIVE_INFINITY);
    },
    300_000,
  );
};
