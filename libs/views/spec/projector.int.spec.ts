import fc from 'fast-check';
import { MemoryEventStore } from '#testing';
import type { DueTimer } from '#application';
import {
  DomainError,
  emptyDocument,
  factsOf,
  foldVersion,
  isTerminal,
  type Task,
  type TaskCommand,
  type TaskEvent,
} from '#domain';
import { BatchFolder } from '../src/projection/batch-folder.js';
import type { ViewDatabase } from '../src/store/index.js';
import { artifact, type LogWriter, message, namespace } from './log-writer.js';
import { ViewBench } from './view-bench.js';
import { type OpenPlace, overEveryPlace } from './view-places.js';

type Step = (log: LogWriter, taskId: string, text: string) => Promise<void>;

const steps: Readonly<Record<string, Step>> = {
  work: (log, taskId, text) => log.move(taskId, 'working', text),
  question: (log, taskId, text) => log.move(taskId, 'input-required', text),
  say: (log, taskId, text) => log.say(taskId, text),
  open: (log, taskId, text) => log.add(taskId, artifact('a', text)),
  append: (log, taskId, text) => log.add(taskId, artifact('a', text, text), true),
  other: (log, taskId, text) => log.add(taskId, artifact('b', text)),
  link: (log, taskId, text) => log.submit(`child-${taskId}-${text}`, { parent: { taskId } }),
  keyed: (log, taskId, text) =>
    log.run(
      taskId,
      { type: 'RecordMessage', at: log.at(), message: message(text) },
      { commandId: `command-${text}`, requestHash: 'hash' },
    ),
  result: (log, taskId, text) =>
    log.run(taskId, { type: 'ChangeState', to: 'completed', at: log.at(), result: text }),
  cancel: (log, taskId, text) => log.cancel(taskId, `cancellation-${text}`),
  ask: (log, taskId, text) =>
    log.cancel(taskId, `cancellation-${text}`, { mode: 'cooperative', graceMs: 5_000 }),
  decline: (log, taskId) => log.decline(taskId),
  linkTerms: (log, taskId, text) =>
    log.submit(`child-${taskId}-${text}`, {
      parent: { taskId, policy: 'cooperative', graceMs: 5_000, onEnd: 'cascade' },
    }),
  linkAgain: (log, taskId) => log.write(taskId, againOf(log.task(taskId))),
};

/** The last child announced once more, in other words. */
const againOf = ({ children, updatedAt }: Task): readonly TaskEvent[] =>
  factsOf(children)
    .slice(-1)
    .map(([taskId]) => ({
      type: 'ChildLinked',
      data: { at: updatedAt, child: { taskId, policy: 'abandon', onEnd: 'cascade' } },
    }));

/** What the projector must keep of a task's timers, in the words of the fold. */
const timersOf = ({ taskId, state, deadline, openCancellation: open }: Task): readonly DueTimer[] => {
  if (isTerminal(state)) return [];
  return [
    ...(deadline === undefined ? [] : [{ taskId, kind: 'deadline' as const, dueAt: deadline }]),
    ...(open?.dueAt === undefined
      ? []
      : [
          {
            taskId,
            kind: 'request' as const,
            dueAt: open.dueAt,
            cancellationId: open.cancellationId,
          },
        ]),
  ];
};

/** Every cancellation of these histories begins where it was asked for. */
const rootsAt = ({ requests, end }: Task): ReadonlyMap<string, number> => {
  const roots = new Map(factsOf(requests).map(([id, { revision }]) => [id, revision]));
  if (end?.cancellationId !== undefined && !roots.has(end.cancellationId))
    roots.set(end.cancellationId, end.revision);
  return roots;
};

/** What the domain refuses is no part of a history. */
const attempt = async (step: () => Promise<void>): Promise<void> => {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
};

interface PlayedStep {
  readonly step: string;
  readonly task: number;
  /** Milliseconds before it. */
  readonly pause: number;
}

const history: fc.Arbitrary<PlayedStep[]> = fc.array(
  fc.record({ step: fc.constantFrom(...Object.keys(steps)), task: fc.nat(2), pause: fc.nat(5_000) }),
  { maxLength: 25 },
);

overEveryPlace('The projector', (place, isInProcess) => {
  let bench: ViewBench<MemoryEventStore>;
  let kept: OpenPlace;
  beforeEach(async () => {
    bench = await ViewBench.create(new MemoryEventStore());
    kept = place().open();
  });
  afterEach(async () => {
    await kept.close();
    await bench.close();
  });

  const play = async (played: readonly PlayedStep[]): Promise<void> => {
    for (const task of [0, 1, 2])
      await bench.log.submit(`task-${String(task)}`, {
        text: 'begin',
        ...(task > 0 && { deadline: `2026-02-0${String(task)}T00:00:00.000Z` }),
      });
    for (const [index, { step, task, pause }] of played.entries()) {
      bench.clock.advance(pause);
      await attempt(async () => steps[step]?.(bench.log, `task-${String(task)}`, String(index)));
    }
  };

  const expectSameFolds = async (database: ViewDatabase): Promise<void> => {
    for (const [taskId, task] of bench.log.tasks) {
      expect(await database.loadTask(taskId)).toEqual(task);
      const stored = await database.loadDocument(taskId, { messages: 1_000, artifacts: true });
      expect(stored?.document).toEqual({ ...emptyDocument, ...bench.log.document(taskId) });
      expect(await database.timersOf(taskId)).toEqual(timersOf(task));
      for (const [cancellationId, rootRevision] of rootsAt(task))
        expect(await database.rootOfCancellation(cancellationId)).toEqual({
          rootTaskId: taskId,
          rootRevision,
        });
    }
  };

  const emptyDatabase = (): Promise<ViewDatabase> =>
    kept.storage.createNext({ logId: bench.logId, foldVersion, startedAt: '' });

  /** Writes the whole log in runs of a size. */
  const project = async (database: ViewDatabase, size: number): Promise<void> => {
    const folder = new BatchFolder(database, namespace);
    const events = await bench.store.readAll({ limit: 4_096, prefix: `${namespace}.` });
    for (let from = 0; from < events.length; from += size) {
      const stand = { seen: (await database.mark()).position, now: 0 };
      const { rows, keep } = await folder.fold(events.slice(from, from + size), stand);
      expect(await database.write(rows)).toBe(true);
      keep();
    }
  };

  it('folds any history to what the domain folds it to, however it is cut into runs', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.constantFrom(1, 2, 3, 7, 4_096), async (played, size) => {
        await bench.close();
        bench = await ViewBench.create(new MemoryEventStore());
        await play(played);
        const database = await emptyDatabase();

        await project(database, size);

        await expectSameFolds(database);
        await database.close();
      }),
      { numRuns: isInProcess ? 40 : 8 },
    );
  }, 60_000);

  it('C38 writes nothing for events that it has handled', async () => {
    await play([{ step: 'say', task: 1, pause: 1 }]);
    const database = await emptyDatabase();
    await project(database, 4_096);
    const before = await database.mark();
    const events = await bench.store.readAll({ limit: 4_096, prefix: `${namespace}.` });

    const again = await new BatchFolder(database, namespace).fold(events, { seen: '', now: 0 });

    expect(await database.write(again.rows)).toBe(false);
    expect(await database.mark()).toEqual(before);
    await expectSameFolds(database);
    await database.close();
  });

  it('forgets commands beyond those that the domain remembers', async () => {
    await bench.log.submit('busy');
    for (let index = 0; index < 1_010; index += 1)
      await bench.log.run(
        'busy',
        { type: 'RecordMessage', at: bench.log.at(), message: message('hello') } satisfies TaskCommand,
        { commandId: `command-${String(index)}`, requestHash: 'hash' },
      );
    const database = await emptyDatabase();

    await project(database, 100);

    const task = await database.loadTask('busy');
    expect(task?.commands).toHaveLength(1_000);
    expect(task).toEqual(bench.log.task('busy'));
    await database.close();
  }, 60_000);
});
