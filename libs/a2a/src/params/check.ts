import { Ajv, type ValidateFunction } from 'ajv';
import { invalid, toInstant, type Artifact, type JsonObject, type Message } from '#domain';
import { artifactSchema, isBase64, messageSchema, readArtifact, readMessage } from './content.js';
import { methods, type Method } from './methods.js';
import { violationOf } from './violation.js';

const ajv = new Ajv({ strict: false, allowUnionTypes: true, formats: { base64: isBase64 } });

/** Compiled once: on the way of a request a check costs well under a microsecond. */
const checks = new Map<string, ValidateFunction>(
  Object.entries(methods).map(([name, { schema }]) => [name, ajv.compile(schema)]),
);
const isMessage = ajv.compile<Message>(messageSchema);
const isArtifact = ajv.compile<Artifact>(artifactSchema);

const refuse = (check: ValidateFunction, base: string): never => {
  const { field, message } = violationOf(check.errors ?? [], base);
  throw invalid(field, message);
};

/**
 * The params of a method as they were sent, checked before the SDK's codec sees them: it coerces, so that `"no"`
 * becomes true and `"abc"` NaN (C16). Both spellings of a field are taken; the result has camelCase only.
 * @throws DomainError `invalid-request` naming the first field that is wrong
 */
export const checkParams = (method: Method, params: unknown): JsonObject => {
  const read = methods[method].read(params ?? {});
  const check = checks.get(method);
  if (!check?.(read)) refuse(check ?? isMessage, '');
  const checked = read as JsonObject;
  const after = method === 'ListTasks' ? checked.statusTimestampAfter : undefined;
  return after === undefined
    ? checked
    : { ...checked, statusTimestampAfter: toInstant(after, 'statusTimestampAfter') };
};

/**
 * An A2A 1.0 Message in JSON, as it is stored.
 * @throws DomainError `invalid-request` naming the field below `base`
 */
export const checkMessage = (value: unknown, base: string): Message => {
  const message = readMessage(value);
  if (!isMessage(message)) return refuse(isMessage, base);
  return message;
};

/**
 * An A2A 1.0 Artifact in JSON, as it is stored.
 * @throws DomainError `invalid-request` naming the field below `base`
 */
export const checkArtifact = (value: unknown, base: string): Artifact => {
  const artifact = readArtifact(value);
  if (!isArtifact(artifact)) return refuse(isArtifact, base);
  return artifact;
};
