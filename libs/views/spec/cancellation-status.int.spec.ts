import { MemoryEventStore } from '#testing';
import {
  type CancellationCommand,
  type CancellationLog,
  decideCancellation,
  type EventMetadata,
  evolveCancellation,
  nodeOutcomes,
  type SettledNode,
} from '#domain';
import { ViewBench } from './view-bench.js';
import { overEveryPlace } from './view-places.js';

const by = { principal: 'bot', role: 'agent', via: 'ledger-api' } as const;
const metadata: EventMetadata = {
  tenant: 'acme',
  owner: 'ann',
  principal: 'ann',
  role: 'user',
  via: 'ledger-api',
  commandId: 'c',
  $causationId: 'c',
  $correlationId: 'c',
};
const taskIds = ['a', 'b', 'c'] as const;

/** Numbers below a limit, the same ones for the same seed. */
const dice = (seed: number) => {
  let state = seed + 1;
  return (sides: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
};

overEveryPlace('The status of a listed cancellation', (place) => {
  let bench: ViewBench<MemoryEventStore>;
  beforeEach(async () => {
    bench = await ViewBench.create(new MemoryEventStore(), place());
  });
  afterEach(() => bench.close());

  const lineOf = (taskId: string, outcome: SettledNode['outcome']): SettledNode => {
    const at = bench.log.at();
    return { taskId, depth: 1, reachedAt: at, outcome, settledAt: at, worker: 'unnotified', attempts: 1 };
  };

  const anyCommand = (roll: (sides: number) => number): CancellationCommand => {
    const at = bench.log.at();
    const taskId = taskIds[roll(taskIds.length)] ?? 'a';
    const outcome = nodeOutcomes[roll(nodeOutcomes.length)] ?? 'canceled';
    const commands: readonly CancellationCommand[] = [
      { type: 'AwaitNode', at, node: { taskId, depth: 1, reachedAt: at } },
      { type: 'SettleNodes', at, nodes: [lineOf(taskId, roll(2) === 0 ? 'canceled' : outcome)] },
      { type: 'SettleCancellation', at, whole: true },
      { type: 'NotifyWorkers', at, taskIds: [taskId], to: 'bot', through: 'feed' },
      { type: 'AcknowledgeWorker', at, taskId, by },
      { type: 'NoteLateWrite', at, taskId, principal: 'bot', attempted: 'artifact' },
      { type: 'NoteRepeat', at, eventId: `repeat-${String(roll(1_000))}`, taskId, by },
    ];
    return commands[roll(commands.length)] ?? { type: 'SettleCancellation', at, whole: true };
  };

  /** What is decided, as the log has it and as it folds. */
  const writeAll = async (
    cancellationId: string,
    commands: readonly CancellationCommand[],
  ): Promise<string> => {
    let log: CancellationLog | undefined;
    for (const command of commands) {
      bench.clock.advance(1_000);
      const events = decideCancellation({ ...command, at: bench.log.at() }, log);
      if (events.length === 0) continue;
      await bench.log.writeCancellation(cancellationId, events);
      for (const event of events)
        log = evolveCancellation(log, {
          ...event,
          id: cancellationId,
          revision: (log?.revision ?? -1) + 1,
          bytes: 0,
          metadata,
        });
    }
    return log?.status ?? '';
  };

  it('is that of its fold, in whatever order lines, ends and words of workers came', async () => {
    const open: CancellationCommand = {
      type: 'OpenCancellation',
      at: '',
      cancellationId: '',
      rootTaskId: 'root',
      requestedAt: bench.log.at(),
      request: { mode: 'immediate', cascade: true, requestedBy: by },
      descendantsOnly: true,
    };
    const ends = new Set<string>();
    for (let seed = 0; seed < 60; seed += 1) {
      const roll = dice(seed);
      const cancellationId = `cancellation-${String(seed)}`;
      const any = Array.from({ length: 5 + roll(40) }, () => anyCommand(roll));
      // A worker that is heard of before its line counts from its line on, which always comes.
      const lines = taskIds.map((taskId) => lineOf(taskId, 'canceled'));
      const rest: readonly CancellationCommand[] = [
        { type: 'SettleNodes', at: '', nodes: lines },
        ...Array.from({ length: roll(8) }, () => anyCommand(roll)),
      ];
      ends.add(await writeAll(cancellationId, [{ ...open, cancellationId }, ...any, ...rest]));
    }
    const views = await bench.started();
    expect((await views.reader.verify('tasks')).mismatches).toEqual([]);
    expect(ends).toEqual(new Set(['running', 'settled', 'confirmed']));
  });
});
