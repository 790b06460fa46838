export * from './application.js';
export * from './commands/inputs.js';
export * from './ports/clock.js';
export * from './ports/snapshots.js';
