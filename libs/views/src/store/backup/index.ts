export {
  isPostgresStateEmpty,
  readPostgresState,
  writePostgresState,
  type StateRow,
} from './postgres-state-copy.js';
export { copySqliteState } from './sqlite-state-copy.js';
