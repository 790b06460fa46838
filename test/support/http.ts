/** `application/problem+json` of the ledger API. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly [field: string]: unknown;
}

/** An answer; `body` insists on a success, `problem` on a refusal, so that no test mistakes one for the other. */
export class Answer<Body> {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {}

  get json(): unknown {
    return this.text === '' ? undefined : (JSON.parse(this.text) as unknown);
  }

  get body(): Body {
    if (this.status >= 400) throw new Error(`expected a success, got ${String(this.status)} ${this.text}`);
    return this.json as Body;
  }

  get problem(): Problem {
    if (this.status < 400) throw new Error(`expected a refusal, got ${String(this.status)} ${this.text}`);
    return this.json as Problem;
  }

  get etag(): string | null {
    return this.headers.get('etag');
  }

  get position(): string | null {
    return this.headers.get('ledger-position');
  }
}

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

export const httpRequest = async (url: string, request: HttpRequest = {}): Promise<Answer<unknown>> => {
  const response = await fetch(url, fetchOptions(request));
  return new Answer(response.status, response.headers, await response.text());
};

export const fetchOptions = ({ method = 'GET', headers = {}, body, signal }: HttpRequest): RequestInit => ({
  method,
  redirect: 'manual',
  headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
  ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  ...(signal === undefined ? {} : { signal }),
});

/** Whether fetch failed because the other side is gone. Its errors are of another realm than those of a test. */
export const isConnectionLost = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'TypeError';
