// Asks a server what it does, through one client and one append path, and prints the answers as JSON:
//   node test/eventstore/facts/probe.mjs esdb://127.0.0.1:2113?tls=false [package] [batch|classic] > answers.json
// The server must let everybody write (`--insecure`) and should be fresh. The process ends by itself.
import { openAsker, sleep } from './asker.mjs';
import { appendLanes } from './questions/appends.mjs';
import { bodyLanes } from './questions/bodies.mjs';
import { deleteLanes } from './questions/deletes.mjs';
import { askAboutAll, readLanes } from './questions/reads.mjs';
import { sizeLanes } from './questions/sizes.mjs';
import {
  askAboutCheckpoints,
  askAboutSlowConsumers,
  askAboutSubscriptions,
} from './questions/subscriptions.mjs';

/** Longer than a server takes to answer for the second time. */
const secondAnswerMs = 2600;

const uncaught = [];
process.on('uncaughtException', ({ message }) => uncaught.push(message));

/** What a client does not always survive comes last. */
const askWhatIsRefused = async ({ ask, append, appendRaw, event, library }) => {
  await ask('refused: a stream without a name', () => appendRaw('', event('A'), library.ANY));
  await ask('refused: an event without a type', () => append('untyped', event(''), library.NO_STREAM));
  await ask('refused: what nobody caught afterwards', async () => {
    await sleep(secondAnswerMs);
    return uncaught.join(', ') || 'nothing';
  });
};

const [, , url, packageName = '@eventstore/db-client', path = 'batch'] = process.argv;
const asker = openAsker(url, packageName, path);
const lanes = [...appendLanes, ...sizeLanes, ...bodyLanes, ...readLanes, ...deleteLanes];
await Promise.all(lanes.map((lane) => lane(asker)));
await askAboutAll(asker);
await askAboutSubscriptions(asker);
await askAboutCheckpoints(asker);
await askAboutSlowConsumers(asker);
await askWhatIsRefused(asker);
await asker.close();
const inOrder = Object.fromEntries(Object.entries(asker.answers).sort(([a], [b]) => (a < b ? -1 : 1)));
process.stdout.write(`${JSON.stringify(inOrder, undefined, 2)}\n`, () => process.exit(0));
