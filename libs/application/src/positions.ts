import { invalid } from '#domain';
import type { Position } from '#event-store';

/** Positions as clients see them: the log's id in front, so that one of another log is refused. */
export interface Positions {
  toEdge(position: Position): string;
  /** @throws DomainError `invalid-request`: not of this form, or of another log */
  parse(edge: string, field?: string): Position;
}

const edgeForm = /^([a-z0-9]{8})-(\d{20})$/;

export const positionsOf = (logId: string): Positions => ({
  toEdge: (position) => `${logId}-${position}`,
  parse(edge, field = 'position') {
    const [, log, position] = edgeForm.exec(edge) ?? [];
    if (position === undefined) throw invalid(field, 'must be a position that this ledger gave out');
    if (log !== logId) throw invalid(field, 'is a position of another log');
    return position;
  },
});
