import type { TaskCommands } from '../application.js';
import { Adoptions } from '../commands/adopt.js';
import { DescendantCancels } from '../commands/cancel-descendants.js';
import { Cancels } from '../commands/cancel.js';
import { Creates } from '../commands/create.js';
import { Declines } from '../commands/decline.js';
import { Desk } from '../commands/desk.js';
import { LedgerCommands } from '../commands/ledger-commands.js';
import { Parents } from '../commands/parents.js';
import { Reports } from '../commands/report.js';
import { Workers } from '../commands/workers.js';
import { Plans } from '../planning/plans.js';
import type { Core } from './core.js';

const cancelsOf = (core: Core, desk: Desk): Cancels => {
  const { events, openings, cancellations: streams, cancelMode: defaultMode } = core;
  const descendants = new DescendantCancels(desk, streams, openings);
  return new Cancels({ desk, streams, events, openings, descendants, defaultMode });
};

export const commandsOf = (core: Core): TaskCommands => {
  const { options, writer, loader, positions, logId, late, events, links, openings, logger } = core;
  const { clock, ids } = options;
  const desk = new Desk({ writer, loader, positions, clock, ids, logId });
  const parents = new Parents(desk, events);
  const workers = new Workers({ desk, streams: core.cancellations, openings, logger });
  return new LedgerCommands({
    creates: new Creates(desk, links, parents),
    reports: new Reports(desk, late, workers),
    adoptions: new Adoptions(desk, links, parents),
    cancels: cancelsOf(core, desk),
    plans: new Plans(desk, late, core.cancelMode),
    declines: new Declines(desk, events),
    workers,
    metrics: core.metrics,
  });
};
