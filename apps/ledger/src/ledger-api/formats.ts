import type { FastifyReply } from 'fastify';

/** Forms of an answer that people read, too. */
export const formats = ['json', 'text', 'mermaid'] as const;
export type Format = (typeof formats)[number];

export type Rendering<Value> = (value: Value) => string;

export const textTypes = { text: 'text/plain', mermaid: 'text/vnd.mermaid' } as const;

/** The value itself, or its text in the format that was asked for. */
export const inFormat = <Value>(
  reply: FastifyReply,
  format: Format | undefined,
  value: Value,
  renderings: Readonly<Record<keyof typeof textTypes, Rendering<Value>>>,
): Value | string => {
  if (format === undefined || format === 'json') return value;
  void reply.header('content-type', `${textTypes[format]}; charset=utf-8`);
  return renderings[format](value);
};
