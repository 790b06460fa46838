import type { JsonObject } from '#domain';
import { extensionUri } from '../extension.js';
import { isObject } from '../params/normalise.js';

/** Options under our extension's URI in a request's metadata; the raw check has seen to their types. */
export interface ExtensionOptions {
  readonly idempotencyKey?: string;
  readonly reason?: string;
  readonly mode?: 'immediate' | 'cooperative';
  readonly graceMs?: number;
  readonly cascade?: boolean;
}

export const optionsUnderExtension = (metadata: JsonObject | undefined): ExtensionOptions => {
  const options = metadata?.[extensionUri];
  return isObject(options) ? options : {};
};
