import { sql } from 'kysely';
import { stateQueries } from '../schema/state-schema.js';
import { integer, param } from './queries.js';

const sagaName = sql.lit('saga');

export const checkpoint = stateQueries
  .selectFrom('checkpoints')
  .select(['position', 'event_id as eventId', 'log_id as logId'])
  .where('name', '=', sagaName);

export const beginCheckpoint = stateQueries
  .insertInto('checkpoints')
  .values({
    name: sagaName,
    position: param('position'),
    event_id: param('eventId'),
    log_id: param('logId'),
  })
  .onConflict((conflict) => conflict.doNothing());

/** The guard: a runner that has been overtaken changes no row here. */
export const moveCheckpoint = stateQueries
  .updateTable('checkpoints')
  .set({
    position: param('position'),
    event_id: param('eventId'),
    log_id: param('logId'),
  })
  .where('name', '=', sagaName)
  .where('position', '=', param('seen'));

export const openTriggers = stateQueries
  .selectFrom('triggers')
  .select(['position', 'stream', 'revision'])
  .orderBy('position');

/** One a position: in another log another event may stand there. */
export const putTrigger = stateQueries
  .insertInto('triggers')
  .values({ position: param('position'), stream: param('stream'), revision: integer('revision') })
  .onConflict((conflict) =>
    conflict.column('position').doUpdateSet((trigger) => ({
      stream: trigger.ref('excluded.stream'),
      revision: trigger.ref('excluded.revision'),
    })),
  );

export const deleteTrigger = stateQueries.deleteFrom('triggers').where('position', '=', param('position'));
