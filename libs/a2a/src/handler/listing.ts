import type { ListTasksRequest, ListTasksResponse } from '@a2a-js/sdk';
import type { ListFilter } from '#views';
import { ledgerStatesOf } from '../rendering/states.js';
import { wireTask } from '../rendering/task.js';
import type { LedgerCallContext } from './call-context.js';
import { historyLengthOf, messagesToLoad } from './reading.js';
import type { A2AServices } from './services.js';

/** Tasks of a page whose request says nothing (specification §3.1.4). */
const pageSizeDefault = 50;

const filterOf = (params: ListTasksRequest): ListFilter => {
  const states = ledgerStatesOf(params.status);
  return {
    ...(params.contextId === '' ? {} : { contextId: params.contextId }),
    ...(states === undefined ? {} : { states }),
    ...(params.statusTimestampAfter === undefined ? {} : { statusAfter: params.statusTimestampAfter }),
  };
};

/** ListTasks (specification §3.1.4): the caller's tasks, newest status first; later pages are as of the first. */
export const listTasks = async (
  services: A2AServices,
  params: ListTasksRequest,
  call: LedgerCallContext,
): Promise<ListTasksResponse> => {
  const pageSize = params.pageSize ?? pageSizeDefault;
  const includeArtifacts = params.includeArtifacts === true;
  const page = await services.views.listTasks(call.caller, {
    filter: filterOf(params),
    pageSize,
    messages: messagesToLoad(params.historyLength),
    artifacts: includeArtifacts,
    ...(params.pageToken === '' ? {} : { pageToken: params.pageToken }),
    ...(call.facts.waitFor === undefined ? {} : { waitFor: call.facts.waitFor }),
  });
  call.position = page.position;
  call.stale = page.stale;
  const rendering = { historyLength: historyLengthOf(params.historyLength), includeArtifacts };
  return {
    tasks: page.items.map(({ task, document }) => wireTask(task, document, rendering)),
    nextPageToken: page.nextPageToken,
    pageSize,
    totalSize: page.totalSize,
  };
};
