import type { OpenTrigger, SagaCheckpoint, SagaState } from '#application';
import type { Position } from '#event-store';

/** The state of a saga in memory: it outlives sagas, as a file does. */
export class MemorySagaState implements SagaState {
  saves = 0;
  checkpoint: SagaCheckpoint | undefined;

  async load(): Promise<SagaCheckpoint | undefined> {
    return this.checkpoint;
  }

  async save(
    seen: Position | undefined,
    mark: Omit<SagaCheckpoint, 'open'>,
    { opened, closed }: { readonly opened: readonly OpenTrigger[]; readonly closed: readonly Position[] },
  ): Promise<boolean> {
    if (this.checkpoint?.position !== seen) return false;
    const open = new Map(this.checkpoint?.open.map((trigger) => [trigger.position, trigger]) ?? []);
    for (const position of closed) open.delete(position);
    for (const trigger of opened) open.set(trigger.position, trigger);
    this.checkpoint = { ...mark, open: [...open.values()].sort(byPosition) };
    this.saves += 1;
    return true;
  }
}

const byPosition = (one: OpenTrigger, other: OpenTrigger): number => (one.position < other.position ? -1 : 1);
