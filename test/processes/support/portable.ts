import type { CertificateNode } from '#application';
import type { WholeCertificate } from './certificates.js';
import type { LoggedEvent } from './log-file.js';

/** Names a task of one tree by its place, so that trees of the same shape can be compared. */
type PlaceOf = (taskId: string) => string;
const placesOf =
  (tree: string): PlaceOf =>
  (taskId) => {
    if (!taskId.startsWith(`${tree}-`)) throw new Error(`${taskId} is no task of ${tree}`);
    return taskId.slice(tree.length + 1);
  };

const portableNode = (placeOf: PlaceOf, node: CertificateNode): object => {
  const { taskId, parentTaskId, reachedAt: _reachedAt, settledAt, attempts: _attempts, ...facts } = node;
  const parent = parentTaskId === undefined ? {} : { parent: placeOf(parentTaskId) };
  return { ...facts, place: placeOf(taskId), ...parent, isSettled: settledAt !== undefined };
};

/** What a certificate says, but for its times, attempts and random ids. */
export const portableCertificate = (tree: string, certificate: WholeCertificate): object => {
  const placeOf = placesOf(tree);
  const { status, mode, reason, metadata, counts, workers, repeats, rootTaskId, requestedBy } = certificate;
  const { principal, role, via } = requestedBy;
  return {
    ...{ status, mode, reason, metadata, counts, workers, repeats },
    root: placeOf(rootTaskId),
    requestedBy: { principal, role, via },
    nodes: certificate.nodes.map((node) => portableNode(placeOf, node)),
    survivors: certificate.survivors.map(placeOf),
    unconfirmed: certificate.unconfirmed.map(placeOf),
  };
};

const taskStream = /^[^.]+\.task-(.+)$/;

/** The types of the events that a cascade has written to each task, by place. */
export const typesByPlace = (
  tree: string,
  events: readonly LoggedEvent[],
): Readonly<Record<string, readonly string[]>> => {
  const placeOf = placesOf(tree);
  const types: Record<string, string[]> = {};
  for (const { stream, type } of events) {
    const taskId = taskStream.exec(stream)?.[1];
    if (taskId !== undefined) (types[placeOf(taskId)] ??= []).push(type);
  }
  return types;
};

/** Lines of a certificate come in batches of any size, and only where they had to be waited for beforehand too. */
const lineTypes = ['NodesSettled', 'NodeWaiting'];

/** How often each type stands on the cancellation's own stream, but for its lines. */
export const certificateTypes = (events: readonly LoggedEvent[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { stream, type } of events)
    if (!taskStream.test(stream) && !lineTypes.includes(type)) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
};
