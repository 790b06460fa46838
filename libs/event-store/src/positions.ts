import type { Position } from './port.js';

const positionDigits = 20;

/** A log's own integer as the port's text. */
export const toPosition = (place: number): Position => String(place).padStart(positionDigits, '0');

/** The integer behind a position that {@link isPosition} accepts. */
export const fromPosition = (position: Position): number => Number(position);

export const isPosition = (text: string): boolean => /^\d{20}$/.test(text);
