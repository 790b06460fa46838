import type { CancellationReader, LiveTasks, TaskReader } from '../application.js';
import { Certificates } from '../cancellations/cancellation-reader.js';
import { CancellationFinder } from '../cancellations/finder.js';
import { TaskCancellations } from '../cancellations/of-task.js';
import { LedgerCascade } from '../cascade/ledger-cascade.js';
import { LogFedTasks } from '../live/live-tasks.js';
import type { LedgerCounters } from '../ledger-options.js';
import type { CascadeDesk } from '../ports/cascade-desk.js';
import { Documents } from '../reading/documents.js';
import { StreamTaskReader } from '../reading/task-reader.js';
import { Timelines } from '../reading/timelines.js';
import { Causes } from '../reading/why.js';
import type { Core } from './core.js';

export const readerOf = (core: Core): TaskReader => {
  const { options, loader, hot, reader, names, positions, soleWriter, cancellations, events } = core;
  const snapshots = options.snapshots && { snapshots: options.snapshots };
  return new StreamTaskReader({
    loader,
    hot,
    reader,
    names,
    positions,
    soleWriter,
    documents: new Documents({ loader, hot, soleWriter, ...snapshots }),
    timelines: new Timelines({ loader, reader, names, positions }),
    causes: new Causes({ loader, reader, events, names, cancellations }),
  });
};

export const cancellationsOf = (core: Core): CancellationReader => {
  const { options, loader, hub, reader, names, late, logId, events, cancellations: streams } = core;
  const roots = options.cancellationRoots;
  const finder = new CancellationFinder({ streams, events, loader, ...(roots && { roots }) });
  const ofTask = new TaskCancellations({ loader, late, finder, reader, names, logId });
  return new Certificates({ finder, ofTask, loader, hub, names });
};

export const cascadeOf = (core: Core): CascadeDesk =>
  new LedgerCascade({ ...core, clock: core.options.clock });

export const liveOf = (core: Core): LiveTasks => {
  const { options, hub, names, positions, hot, loader, reader, notices } = core;
  return new LogFedTasks(hub, { store: options.store, names, positions, hot, loader, reader }, notices);
};

export const countersOf = ({ reader, hot }: Core): LedgerCounters => ({
  streamReads: reader.reads,
  hotHits: hot.hits,
  hotMisses: hot.misses,
  hotFolds: hot.size,
  hotBytes: hot.bytes,
});
