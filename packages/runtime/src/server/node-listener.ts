import type { IncomingMessage, ServerResponse } from "node:http";
import { RequestError, type ServerRequest } from "./answer.js";
import { type App, type AppOptions, makeApp } from "./app.js";
import { splitPath } from "./split-path.js";

/** What `createListener` takes beside what the server itself does. */
export interface ListenerOptions extends AppOptions {
  /** Where in another server it is mounted, if that leaves the path as it is: `/callsign`. Default: at the root. */
  readonly basePath?: string;
  /** How long a client that reads nothing is waited for. Default 30 000 ms. */
  readonly writeTimeoutMs?: number;
}

/** Answers a request of `node:http`. Never throws. */
export type Listener = (incoming: IncomingMessage, response: ServerResponse) => void;

/**
 * A listener of the workflow API for `node:http`, and for servers that are made of such: Express, Connect.
 *
 * Where bodies are parsed, it comes before that: a body can be read once.
 *
 * @example
 * import { createServer } from "node:http"
 * import { openEngine } from "@callsign/runtime"
 * import { createListener } from "@callsign/runtime/server"
 *
 * const engine = await openEngine({ workflows: [] })
 * const callsign = createListener({ engine, basePath: "/callsign" })
 * createServer((request, response) => {
 *   if (request.url?.startsWith("/callsign")) callsign(request, response)
 *   else response.end("home")
 * }).listen(8_000, "127.0.0.1")
 */
export function createListener(options: ListenerOptions): Listener {
  const listen = makeListener(options);
  // Express gives one thing more.
  return (incoming, response) => listen(incoming, response);
}

/** As `createListener`; `signal` ends an answer before its time. */
export function makeListener(
  options: ListenerOptions,
): (incoming: IncomingMessage, response: ServerResponse, signal?: AbortSignal) => void {
  const app = makeApp(options);
  const base = splitPath(options.basePath ?? "/");
  return (incoming, response, signal) => {
    const gone = new AbortController();
    const onAbort = (): void => gone.abort();
    signal?.addEventListener("abort", onAbort, { once: true });
    response.once("close", () => {
      signal?.removeEventListener("abort", onAbort);
      gone.abort();
    });
    answer(incoming, response, { app, base, options, signal: gone.signal }).catch(() => response.destroy());
  };
}

interface Exchange {
  readonly app: App;
  readonly base: readonly string[];
  readonly options: ListenerOptions;
  readonly signal: AbortSignal;
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  { app, base, options, signal }: Exchange,
): Promise<void> {
  const limit = options.maxBodyBytes ?? 1_048_576;
  const { path: pathname, query: search, host } = splitTarget(incoming.url ?? "/");
  const path = splitPath(pathname);
  const isInside = base.every((part, index) => path[index] === part);
  const request: ServerRequest = {
    method: incoming.method ?? "GET",
    // Express takes the place where it is mounted off the address, and keeps the whole beside it.
    pathname: splitTarget((incoming as { originalUrl?: string }).originalUrl ?? incoming.url ?? "/").path,
    path: isInside ? path.slice(base.length) : ["", ...path],
    query: new URLSearchParams(search),
    header: (name) => {
      // Of an address in full the host is what counts.
      const value = name === "host" && host !== undefined ? host : incoming.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    body: () => readBody(incoming, limit),
    signal,
  };
  const { status, headers, body } = await app(request);
  if (response.destroyed) {
    // A stream that nobody reads is begun and left, so that what it holds is let go.
    if (typeof body !== "string") for await (const _ of body) break;
    return;
  }
  // What was not read of a body is not waited for.
  if (!incoming.complete) response.setHeader("connection", "close");
  if (typeof body === "string") {
    const hasBody = status !== 204 && status !== 304;
    response.writeHead(status, hasBody ? { ...headers, "content-length": Buffer.byteLength(body) } : headers);
    response.end(body);
    return;
  }
  response.writeHead(status, headers);
  response.flushHeaders();
  for await (const piece of body) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response, options.writeTimeoutMs ?? 30_000);
  }
  response.end();
}

/** Path and query of what was asked for. A query may hold further `?`; proxies may write the whole address. */
function splitTarget(target: string): {
  readonly path: string;
  readonly query: string;
  readonly host: string | undefined;
} {
  const [, host, rest = ""] = /^(?:https?:\/\/([^/?]*))?(.*)$/is.exec(target) ?? [];
  const [path = ""] = rest.split("?", 1);
  return { path, query: rest.slice(path.length + 1), host };
}

async function readBody(incoming: IncomingMessage, limit: number): Promise<string> {
  const tooLarge = (): RequestError =>
    new RequestError(413, "body-too-large", `the body is longer than ${limit} bytes`);
  if (Number(incoming.headers["content-length"] ?? 0) > limit) throw tooLarge();
  if (incoming.readableDidRead) {
    throw new RequestError(500, "body-was-read", "the body was read before: mount callsign before what parses bodies");
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    length += (chunk as Buffer).length;
    if (length > limit) throw tooLarge();
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** @throws When the client has read nothing for so long. */
function drained(response: ServerResponse, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(new Error("the client reads nothing")), timeoutMs);
    const onDrain = (): void => done();
    const onClose = (): void => done(new Error("the client is gone"));
    function done(error?: Error): void {
      clearTimeout(timer);
      response.off("drain", onDrain);
      response.off("close", onClose);
      if (error === undefined) resolve();
      else reject(error);
    }
    response.once("drain", onDrain);
    response.once("close", onClose);
  });
}
