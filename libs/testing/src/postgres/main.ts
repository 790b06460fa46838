import { startPostgres } from './server.js';

/**
 * A PostgreSQL for as long as whoever started this holds its standard input open: it ends with them, whatever
 * happens to them. Its first line says where it is, or why it is not.
 */
const main = async (): Promise<void> => {
  const server = await startPostgres();
  process.stdout.write(`postgres ready url=${server.url}\n`);
  process.stdin.resume();
  await new Promise((resolve) => process.stdin.once('close', resolve));
  await server.stop();
};

// The end is told by standard input alone, so that the server is never left behind half way.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stdout.write(`postgres absent: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
