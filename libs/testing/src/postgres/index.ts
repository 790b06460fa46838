export { type PostgresServer, serverVariable, startPostgres } from './server.js';
export { type TestDatabase, type TestPostgres, usePostgres } from './use-postgres.js';
