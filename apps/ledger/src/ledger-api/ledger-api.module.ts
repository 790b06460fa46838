import { Module } from '@nestjs/common';
import { CallerGuard } from '../auth/caller.guard.js';
import { CancellationController } from './cancellation.controller.js';
import { CancellationsController } from './cancellations.controller.js';
import { ChildrenController } from './children.controller.js';
import { EventsController } from './events.controller.js';
import { FeedController } from './feed.controller.js';
import { HistoryController } from './history.controller.js';
import { LogPositions } from './log-positions.js';
import { BodyPipe } from './request/body.pipe.js';
import { QueryPipe } from './request/query.pipe.js';
import { RowsController } from './rows.controller.js';
import { TasksController } from './tasks.controller.js';
import { ViewsController } from './views.controller.js';

/** The native HTTP API, one controller a noun. */
@Module({
  controllers: [
    TasksController,
    EventsController,
    HistoryController,
    ChildrenController,
    CancellationController,
    CancellationsController,
    RowsController,
    FeedController,
    ViewsController,
  ],
  providers: [CallerGuard, LogPositions, BodyPipe, QueryPipe],
})
export class LedgerApiModule {}
