import { isObject } from '../params/normalise.js';

export type RequestId = string | number | null;

/** JSON-RPC 2.0 codes that belong to the envelope; the protocol's own come with the SDK's errors. */
export const envelopeCodes = { parse: -32700, request: -32600, method: -32601 } as const;

/** Outside the range of the protocol's codes: a caller that is not known, or may not do this. */
export const accessCode = -32_000;

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: readonly unknown[];
}

export type JsonRpcBody =
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly result: unknown }
  | { readonly jsonrpc: '2.0'; readonly id: RequestId; readonly error: JsonRpcError };

export const errorBody = (id: RequestId, error: JsonRpcError): JsonRpcBody => ({ jsonrpc: '2.0', id, error });

export interface Envelope {
  readonly id: RequestId;
  readonly method: string;
  readonly params: unknown;
}

export type ReadEnvelope =
  { readonly ok: true; readonly envelope: Envelope } | { readonly ok: false; readonly body: JsonRpcBody };

const refused = (id: RequestId, code: number, message: string): ReadEnvelope => ({
  ok: false,
  body: errorBody(id, { code, message }),
});

const isRequestId = (value: unknown): value is RequestId =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value));

const parse = (text: string): { readonly value?: unknown } => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return {};
  }
};

/** C03: what is not JSON is -32700, what is no request -32600; an id of 0 or null is echoed as it is. */
export const readEnvelope = (text: string): ReadEnvelope => {
  const parsed = parse(text);
  if (!('value' in parsed)) return refused(null, envelopeCodes.parse, 'The body is not JSON.');
  const { value } = parsed;
  if (!isObject(value)) return refused(null, envelopeCodes.request, 'The body is not one JSON-RPC request.');
  const id = value.id ?? null;
  if (!isRequestId(id))
    return refused(null, envelopeCodes.request, 'id: must be a string, an integer or null');
  const { jsonrpc, method, params } = value;
  if (jsonrpc !== '2.0') return refused(id, envelopeCodes.request, 'jsonrpc: must be "2.0"');
  if (typeof method !== 'string' || method === '') {
    return refused(id, envelopeCodes.request, 'method: must be a name');
  }
  return { ok: true, envelope: { id, method, params } };
};
