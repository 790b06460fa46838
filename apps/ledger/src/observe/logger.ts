import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import type { LogLevel } from '../config/config.js';

/** JSON lines on stdout. Never bodies, message contents, headers or secrets: callers log ids, codes and counts. */
export const openLogger = (level: LogLevel): Logger =>
  pino({
    level,
    base: { service: 'ledger' },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['headers', 'body', 'req.headers', 'req.body'],
  });

/** Nest's own lines: what it says of its start is for developers. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}
  log(message: unknown): void {
    this.logger.debug({ source: 'nest' }, String(message));
  }
  debug(message: unknown): void {
    this.logger.trace({ source: 'nest' }, String(message));
  }
  verbose(message: unknown): void {
    this.logger.trace({ source: 'nest' }, String(message));
  }
  warn(message: unknown): void {
    this.logger.warn({ source: 'nest' }, String(message));
  }
  /** What stops a start is thrown as well, and said once by whoever asked for it. */
  error(message: unknown): void {
    this.logger.debug({ source: 'nest' }, String(message));
  }
  fatal(message: unknown): void {
    this.logger.fatal({ source: 'nest' }, String(message));
  }
}
