export * from './certificates.js';
export * from './log-file.js';
export * from './plant.js';
export * from './portable.js';
export * from './random.js';
export * from './trees.js';
