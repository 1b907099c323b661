import { createHash, timingSafeEqual } from "node:crypto";
import { RequestError, type ServerRequest } from "./answer.js";

export interface GuardOptions {
  /** Asked for as `Authorization: Bearer …`. Without one, only loopback clients with a loopback `Host` are served. */
  readonly token?: string | undefined;
  /** Origins whose pages may call. Default: none but the server's own. */
  readonly corsOrigins?: readonly string[] | undefined;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * From where may be called. A page of another site can send requests to a server on the same machine, so without a token
 * the names by which the server is called and the page that calls are looked at.
 *
 * @throws {RequestError} 403.
 */
export function guardOrigin(request: ServerRequest, { token, corsOrigins = [] }: GuardOptions): void {
  const host = request.header("host") ?? "";
  const origin = request.header("origin");
  if (token === undefined && !LOOPBACK.test(host)) {
    throw new RequestError(403, "host-refused", "without a token this server answers to localhost only");
  }
  if (origin !== undefined && !isOwn(origin, host) && !corsOrigins.includes(origin)) {
    throw new RequestError(403, "origin-refused", "pages of this origin may not call this server");
  }
}

/** Who may call. @throws {RequestError} 401. */
export function guardToken(request: ServerRequest, { token }: GuardOptions): void {
  if (token !== undefined && !hasToken(request, token)) {
    throw new RequestError(401, "token-refused", "send the server's token as Authorization: Bearer …", {
      headers: { "www-authenticate": "Bearer" },
    });
  }
}

/** The headers that let a page of an allowed origin read the answer. */
export function corsHeaders(
  request: ServerRequest,
  { corsOrigins = [] }: GuardOptions,
): Readonly<Record<string, string>> {
  const origin = request.header("origin");
  if (origin === undefined || !corsOrigins.includes(origin)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-headers": "authorization, content-type, last-event-id",
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-expose-headers": "x-run-id",
    vary: "origin",
  };
}

function isOwn(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** Takes the same time whatever is right in it. */
function hasToken(request: ServerRequest, token: string): boolean {
  const given = /^Bearer +(.+)$/i.exec(request.header("authorization") ?? "")?.[1] ?? "";
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname) || hostname === "::1";
}
