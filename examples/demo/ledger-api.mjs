// @ts-check
/** The agent's side: the ledger API over plain HTTP, with nothing but fetch. */

/**
 * What of the answers is used here; all of it is described at /docs of a running service.
 * @typedef {{ messageId: string, role: string, parts: { text?: string }[] }} Message
 * @typedef {{ artifactId: string, parts: { text?: string }[] }} Artifact
 * @typedef {object} TimelineEntry
 * @property {number} revision
 * @property {string} at
 * @property {'message' | 'artifact' | 'transition' | 'cancellation' | 'link'} kind
 * @property {{ principal: string, role: string, via: string }} actor `via`: the surface, such as a2a-jsonrpc
 * @property {string} [from] state
 * @property {string} [to] state
 * @property {Message} [message]
 * @property {Artifact} [artifact]
 * @typedef {{ revision: number, type: string, at: string }} StoredEvent
 * @typedef {object} Moment a task as it was
 * @property {{ status: string, state: string }} row
 * @property {{ history?: Message[], artifacts?: Artifact[] }} task A2A 1.0 JSON
 * @typedef {object} LateUpdate
 * @property {string} at
 * @property {'transition' | 'artifact'} attempted
 * @property {string} [to] state that was asked for
 * @property {string} state where the task stood, since `revision`
 * @property {number} revision
 * @property {{ body: { update: Record<string, unknown> } }} content what came, as it came
 * @typedef {object} TreeNode
 * @property {string} taskId
 * @property {string} state
 * @property {string} [policy] of the link above it
 * @property {boolean} [late] the link came after the parent's end
 * @property {TreeNode[]} children
 * @typedef {object} Certificate
 * @property {string} status running, settled or confirmed
 * @property {Record<string, number>} counts
 * @property {{ taskId: string, outcome: string, worker: string, late?: boolean }[]} nodes
 * @property {string[]} unconfirmed
 */

/** An answer that says no: `application/problem+json` with a stable code. */
export class LedgerProblem extends Error {
  /** @param {{ status: number, code: string, detail?: string, title?: string }} problem */
  constructor({ status, code, detail, title }) {
    super(detail ?? title ?? code);
    this.status = status;
    this.code = code;
  }
}

export class LedgerApi {
  /** @param {string} baseUrl of the service, such as http://127.0.0.1:3000 */
  constructor(baseUrl) {
    this.baseUrl = `${baseUrl}/ledger/v1`;
  }

  /** Moves a task on. @param {string} taskId @param {{ to: string, [field: string]: unknown }} transition */
  transition(taskId, transition) {
    return this.#ask('POST', `/tasks/${taskId}/transitions`, transition);
  }

  /**
   * Records a piece of an artifact; pieces after the first are appended to it.
   * @param {string} taskId
   * @param {{ artifactId: string, name?: string, text: string, append?: boolean, lastChunk?: boolean }} chunk
   */
  artifactChunk(taskId, { artifactId, name, text, append = false, lastChunk = false }) {
    const artifact = { artifactId, ...(name === undefined ? {} : { name }), parts: [{ text }] };
    return this.#ask('POST', `/tasks/${taskId}/artifacts`, { artifact, append, lastChunk });
  }

  /** What happened to a task, for people. @param {string} taskId @returns {Promise<TimelineEntry[]>} */
  async timeline(taskId) {
    return (await this.#ask('GET', `/tasks/${taskId}/timeline?limit=100`)).entries;
  }

  /** The events of a task as they are stored. @param {string} taskId @returns {Promise<StoredEvent[]>} */
  async events(taskId) {
    return (await this.#ask('GET', `/tasks/${taskId}/events?limit=1000`)).events;
  }

  /**
   * Every event of a task from a revision on, those to come included, until the loop is left or the task ends.
   * @param {string} taskId
   * @param {number} from revision
   * @returns {AsyncGenerator<StoredEvent>}
   */
  async *follow(taskId, from) {
    const url = `${this.baseUrl}/tasks/${taskId}/events?from=${String(from)}`;
    const response = await fetch(url, { headers: { accept: 'text/event-stream' } });
    if (!response.ok || response.body === null) throw new LedgerProblem(await response.json());
    const decoder = new TextDecoder();
    let received = '';
    for await (const bytes of response.body) {
      const frames = (received + decoder.decode(bytes, { stream: true })).split('\n\n');
      received = frames.pop() ?? '';
      for (const frame of frames) {
        const data = /^data: ?(.*)$/m.exec(frame)?.[1];
        if (data !== undefined) yield JSON.parse(data);
      }
    }
  }

  /** The task as it was after one event. @param {string} taskId @param {number} revision @returns {Promise<Moment>} */
  replay(taskId, revision) {
    return this.#ask('GET', `/tasks/${taskId}/replay?revision=${String(revision)}`);
  }

  /** Updates that came after the task had ended: kept, and never part of it. @param {string} taskId @returns {Promise<LateUpdate[]>} */
  late(taskId) {
    return this.#ask('GET', `/tasks/${taskId}/late`);
  }

  /**
   * A new task, under a parent where one is given.
   * @param {{ message: Message, parent?: { taskId: string, policy?: string, graceMs?: number, onEnd?: string } }} task
   * @returns {Promise<{ taskId: string, state: string }>}
   */
  create(task) {
    return this.#ask('POST', '/tasks', task);
  }

  /** What is linked below a task. @param {string} taskId @returns {Promise<TreeNode>} */
  tree(taskId) {
    return this.#ask('GET', `/tasks/${taskId}/tree`);
  }

  /** @param {string} taskId @param {object} how @returns {Promise<{ cancellationId: string }>} */
  cancel(taskId, how) {
    return this.#ask('POST', `/tasks/${taskId}/cancellation`, how);
  }

  /** What a cancel would do; nothing is written. @param {string} taskId @returns {Promise<{ counts: Record<string, number> }>} */
  rehearse(taskId) {
    return this.#ask('POST', `/tasks/${taskId}/cancellation`, { dryRun: true });
  }

  /** The worker has stopped. @param {string} taskId @param {string} note */
  acknowledge(taskId, note) {
    return this.#ask('POST', `/tasks/${taskId}/cancellation/ack`, { note });
  }

  /**
   * @param {string} cancellationId
   * @param {'settled' | 'confirmed'} [wait] for as long as the service lets it
   * @returns {Promise<Certificate>}
   */
  certificate(cancellationId, wait = 'settled') {
    return this.#ask('GET', `/cancellations/${cancellationId}?wait=${wait}`);
  }

  /** For a terminal. @param {string} cancellationId */
  certificateText(cancellationId) {
    return this.#read(`/cancellations/${cancellationId}?format=text`);
  }

  /** From a task's last state back to the first request, for a terminal. @param {string} taskId */
  whyText(taskId) {
    return this.#read(`/tasks/${taskId}/why?format=text`);
  }

  /** @param {string} path @returns {Promise<string>} */
  async #read(path) {
    const response = await fetch(this.baseUrl + path);
    if (!response.ok) throw new LedgerProblem(await response.json());
    return response.text();
  }

  /** @param {string} method @param {string} path @param {object} [body] */
  async #ask(method, path, body) {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new LedgerProblem(answer);
    return answer;
  }
}
