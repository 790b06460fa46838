/** A task that all clients write to. */
export interface HotTask {
  readonly taskId: string;
  /** The highest revision that was told. */
  revision: number;
  /** The state that was told last, as the API shows it. */
  state: string;
  /** Questions left before another takes its place; counted from when its end was told. */
  left: number;
  isOver: boolean;
}

/** An ended task is still asked for, and must stay as it is; then a new one takes its place. */
const questionsAfterTheEnd = 8;

const overStates: ReadonlySet<string> = new Set(
  ['completed', 'failed', 'rejected', 'canceled'].map((state) => `TASK_STATE_${state.toUpperCase()}`),
);

/** The few tasks that everybody writes to at once. */
export class HotTasks {
  readonly #tasks: HotTask[] = [];
  #wanted: number;

  constructor(private readonly size: number) {
    this.#wanted = size;
  }

  /** Whether somebody should make another; whoever asks is the one who does. */
  takeWanted(): boolean {
    if (this.#wanted === 0) return false;
    this.#wanted -= 1;
    return true;
  }

  /** The making of one failed. */
  giveWanted(): void {
    this.#wanted += 1;
  }

  add(taskId: string): void {
    if (this.#tasks.length < this.size)
      this.#tasks.push({
        taskId,
        revision: 0,
        state: 'TASK_STATE_SUBMITTED',
        left: questionsAfterTheEnd,
        isOver: false,
      });
  }

  /** Any of them; undefined while there is none. */
  pick(choose: (from: number, to: number) => number): HotTask | undefined {
    const task = this.#tasks[choose(0, this.#tasks.length - 1)];
    if (task?.isOver === true && --task.left <= 0) this.#replace(task);
    return task;
  }

  /** What was told of a task. */
  told(task: HotTask, revision: number, state: string): void {
    if (revision >= task.revision) task.state = state;
    task.revision = Math.max(task.revision, revision);
    task.isOver ||= overStates.has(state);
  }

  #replace(task: HotTask): void {
    const place = this.#tasks.indexOf(task);
    if (place < 0) return;
    this.#tasks.splice(place, 1);
    this.#wanted += 1;
  }
}
