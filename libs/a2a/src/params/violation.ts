import type { ErrorObject } from 'ajv';

/** One thing that is wrong with a request: where, and what. */
export interface Violation {
  readonly field: string;
  readonly message: string;
}

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const index = /^\d+$/;

const step = (path: string, segment: string): string => {
  if (index.test(segment)) return `${path}[${segment}]`;
  if (!plainName.test(segment)) return `${path}["${segment}"]`;
  return path === '' ? segment : `${path}.${segment}`;
};

/** `/message/parts/0` as `message.parts[0]`, below `base`. */
const fieldOf = (base: string, pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(step, base);

const describe = (error: ErrorObject, path: string): Violation => {
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case 'required':
      return { field: step(path, String(params.missingProperty)), message: 'is required' };
    case 'additionalProperties':
      return { field: step(path, String(params.additionalProperty)), message: 'is not known here' };
    case 'enum':
      return { field: path, message: `must be one of ${(params.allowedValues as unknown[]).join(', ')}` };
    case 'oneOf':
      return { field: path, message: 'must have exactly one of text, raw, url, data' };
    case 'format':
      return { field: path, message: `must be ${String(params.format)}` };
    case 'pattern':
      return { field: path, message: 'must not have control characters' };
    default:
      return { field: path, message: error.message ?? 'is not valid' };
  }
};

/** The first violation that ajv found; of a choice, the choice itself and not its branches. */
export const violationOf = (errors: readonly ErrorObject[], base: string): Violation => {
  const error = errors.find((candidate) => candidate.keyword === 'oneOf') ?? errors[0];
  if (error === undefined) return { field: base, message: 'is not valid' };
  return describe(error, fieldOf(base, error.instancePath));
};
