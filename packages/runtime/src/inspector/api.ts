import type { Json } from "../manifest/json-schema.js";
import { keepToken, keptToken } from "./kept-token.js";

/** A place of a value that the server refused. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** An answer that is an error. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly problems: readonly Problem[];

  constructor(status: number, answer: { code?: string; message?: string; details?: readonly Problem[] }) {
    super(answer.message ?? `the server answered ${status}`);
    this.status = status;
    this.code = answer.code ?? "unknown";
    this.problems = answer.details ?? [];
  }
}

export interface ApiRequest {
  readonly method?: "GET" | "POST" | "DELETE";
  /** Relative to the page: `runs/ID`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: Json | undefined;
}

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  readonly lastEventId?: number | undefined;
}

/** The server's API, as this page may use it. The token is in memory; in the tab's storage only if that was wished. */
export class Api {
  #token = keptToken();
  /** Asks the reader for a token. @returns Settled when there is one. */
  #askToken: () => Promise<string>;
  #asking: Promise<void> | undefined;

  constructor(askToken: () => Promise<string>) {
    this.#askToken = askToken;
  }

  get hasToken(): boolean {
    return this.#token !== undefined;
  }

  forgetToken(): void {
    this.#token = undefined;
    keepToken(undefined);
  }

  /** @throws {ApiError} */
  async json<Answer>(request: ApiRequest, options: SendOptions = {}): Promise<Answer> {
    const response = await this.send(request, options);
    return (await response.json()) as Answer;
  }

  /** An answer that is none of an error. @throws {ApiError} */
  async send(request: ApiRequest, options: SendOptions = {}): Promise<Response> {
    const { method = "GET", path, body } = request;
    const { signal, lastEventId } = options;
    const token = this.#token;
    const response = await fetch(path, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(lastEventId === undefined ? {} : { "last-event-id": String(lastEventId) }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      cache: "no-store",
      credentials: "same-origin",
    });
    if (response.status === 401) {
      // Another request may have been answered meanwhile.
      if (token === this.#token) this.#token = undefined;
      await this.#ask();
      signal?.throwIfAborted();
      return this.send(request, options);
    }
    if (!response.ok) throw new ApiError(response.status, await errorOf(response));
    return response;
  }

  #ask(): Promise<void> {
    if (this.#token !== undefined) return Promise.resolve();
    this.#asking ??= this.#askToken().then((token) => {
      this.#token = token;
      this.#asking = undefined;
    });
    return this.#asking;
  }
}

async function errorOf(response: Response): Promise<{ code?: string; message?: string; details?: Problem[] }> {
  try {
    return ((await response.json()) as { error?: object }).error ?? {};
  } catch {
    return {};
  }
}
