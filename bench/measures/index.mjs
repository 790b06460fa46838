import { append } from './append.mjs';
import { cascade } from './cascade.mjs';
import { eventStoreAppend } from './eventstore-append.mjs';
import { get } from './get.mjs';
import { list } from './list.mjs';
import { memory } from './memory.mjs';
import { message } from './message.mjs';
import { ping } from './ping.mjs';
import { rebuild } from './rebuild.mjs';
import { send } from './send.mjs';
import { sendPostgres } from './send-postgres.mjs';

/**
 * @typedef {object} Settings
 * @property {number} rounds how often both sides run
 * @property {number} seconds of each side in each round
 */

export const measures = {
  send,
  get,
  list,
  append,
  ping,
  message,
  rebuild,
  memory,
  cascade,
  'eventstore-append': eventStoreAppend,
  'send-postgres': sendPostgres,
};
