import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * How a surface with error bodies of its own answers what goes wrong outside its handlers: body too large, the
 * service draining, an unknown path below its prefix, an error its handler let through. It must answer, and never throw.
 */
export type SurfaceFaults = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/** Token of the handler for paths under `/a2a`; provided and exported by `A2aModule`. */
export const A2A_FAULTS = Symbol('A2A_FAULTS');
