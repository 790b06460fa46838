import { createInterface } from 'node:readline';
import { obey } from './control.js';
import { startEventStoreDbEmulator } from './index.js';
import type { EmulatorOptions } from './options.js';

/*
 * An emulator in a process of its own, which can be stopped and killed: node main.js '<options as JSON>'.
 * It ends with its standard input, so that it never outlives who started it.
 */
const emulator = await startEventStoreDbEmulator(JSON.parse(process.argv[2] ?? '{}') as EmulatorOptions);
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  void obey(emulator, line).then((reply) => process.stdout.write(`${JSON.stringify(reply)}\n`));
});
lines.on('close', () => process.exit(0));
process.stdout.write(`emulator ready url=${emulator.url}\n`);
