import { explore } from './explore.js';
import { mutations } from './mutations.js';
import { realRules } from './rules.js';

// Each rule is taken back by itself. The explorer must find what that breaks, and nothing while the rule holds: else
// it would not see a mistake in the real code either.
describe.each(mutations.map((mutation) => [mutation.name, mutation] as const))('if %s', (name, mutation) => {
  const configuration = { ...mutation.configuration, name };

  it('a promise is broken', () => {
    const { violation } = explore(configuration, mutation.without(realRules));
    expect(violation?.promise.slice(0, mutation.breaks.length)).toBe(mutation.breaks);
    expect(violation?.steps).not.toEqual([]);
  });

  it('and none while the rule holds', () => {
    const { violation, isComplete } = explore(configuration);
    expect(violation).toBeUndefined();
    expect(isComplete).toBe(true);
  });
});
