import type { EventMetadata } from '../metadata.js';
import { oneOf, shape, text } from './shape.js';

const check = shape(
  {
    tenant: text,
    owner: text,
    principal: text,
    role: oneOf('user', 'agent', 'operator', 'system'),
    via: text,
    commandId: text,
    $causationId: text,
    $correlationId: text,
  },
  { requestId: text, requestHash: text, traceparent: text },
);

export type MetadataReading =
  { readonly ok: true; readonly metadata: EventMetadata } | { readonly ok: false; readonly error: string };

/** Reads the metadata that stands on every event. */
export const readMetadata = (metadata: unknown): MetadataReading => {
  const error = check(metadata);
  return error === undefined
    ? { ok: true, metadata: metadata as EventMetadata }
    : { ok: false, error: `metadata ${error}` };
};
