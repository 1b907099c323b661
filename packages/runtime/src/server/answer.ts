/** A request, whatever server it came through. */
export interface ServerRequest {
  readonly method: string;
  /** The path as the client wrote it, without what another server has taken off. */
  readonly pathname: string;
  /** Decoded parts of the path, without empty ones. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  /** The body as text. @throws {RequestError} 413 when it is longer than the limit. */
  body(): Promise<string>;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A whole body, or pieces that are sent as they come. */
  readonly body: string | AsyncIterable<string>;
}

/** A request that is answered with an error. The message is for the client. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  readonly code: string;
  readonly details: readonly { readonly path: readonly (string | number)[]; readonly message: string }[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { readonly details?: RequestError["details"]; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
  }
}

/** @param allowed The methods that there are. HEAD goes with GET. */
export function methodRefused(method: string, allowed: readonly string[]): RequestError {
  const allow = allowed.flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : [each])).join(", ");
  return new RequestError(405, "method-refused", `${method} is not possible here; see /openapi.json`, {
    headers: { allow },
  });
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers },
    body: `${JSON.stringify(value)}\n`,
  };
}
