import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { RequestError, type ServerRequest } from "./answer.js";
import { type App, type AppOptions, makeApp } from "./app.js";
import { isLoopback } from "./guard.js";
import { splitPath } from "./split-path.js";

export interface ServeOptions extends AppOptions {
  /** Default 127.0.0.1. Any address that other machines can reach needs a `token`. */
  readonly host?: string;
  /** Default 8 000; 0 for any that is free. */
  readonly port?: number;
  /** How long a client that reads nothing is waited for. Default 30 000 ms. */
  readonly writeTimeoutMs?: number;
}

export interface RunningServer {
  readonly url: string;
  /** Takes no new requests, ends those under way, and is closed. The engine goes on. */
  close(): Promise<void>;
}

/**
 * Serves the workflow API on Node.
 *
 * @throws {RangeError} for an address that others can reach, without a token.
 *
 * @example
 * import { openEngine } from "@callsign/runtime"
 * import { serve } from "@callsign/runtime/server"
 *
 * const engine = await openEngine({ workflows: [] })
 * const server = await serve({ engine, port: 0 })
 * await server.close()
 * await engine.stop()
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { host = "127.0.0.1", port = 8_000, token } = options;
  if (!isLoopback(host) && (token === undefined || token === "")) {
    throw new RangeError(
      `${host} can be reached from other machines: give a token, or leave host out to serve 127.0.0.1 only`,
    );
  }
  const app = makeApp(options);
  const under = new Set<AbortController>();
  const server = createServer({ maxHeaderSize: 16_384 }, (incoming, response) => {
    const gone = new AbortController();
    under.add(gone);
    response.once("close", () => {
      under.delete(gone);
      gone.abort();
    });
    answer(incoming, response, { app, options, signal: gone.signal }).catch(() => response.destroy());
  });
  // A client that sends slowly, or never, holds a connection only so long.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.maxRequestsPerSocket = 1_000;
  await listen(server, { host, port });
  const address = server.address() as AddressInfo;
  const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${shown}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const gone of under) gone.abort();
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 1_000).unref();
      }),
  };
}

interface Exchange {
  readonly app: App;
  readonly options: ServeOptions;
  readonly signal: AbortSignal;
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  { app, options, signal }: Exchange,
): Promise<void> {
  const limit = options.maxBodyBytes ?? 1_048_576;
  const [pathname = "/", search = ""] = (incoming.url ?? "/").split("?", 2);
  const request: ServerRequest = {
    method: incoming.method ?? "GET",
    path: splitPath(pathname),
    query: new URLSearchParams(search),
    header: (name) => {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    body: () => readBody(incoming, limit),
    signal,
  };
  const { status, headers, body } = await app(request);
  if (response.destroyed) return;
  // What was not read of a body is not waited for.
  if (!incoming.complete) response.setHeader("connection", "close");
  response.writeHead(status, headers);
  if (typeof body === "string") {
    response.end(body);
    return;
  }
  response.flushHeaders();
  for await (const piece of body) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response, options.writeTimeoutMs ?? 30_000);
  }
  response.end();
}

async function readBody(incoming: IncomingMessage, limit: number): Promise<string> {
  const tooLarge = (): RequestError =>
    new RequestError(413, "body-too-large", `the body is longer than ${limit} bytes`);
  if (Number(incoming.headers["content-length"] ?? 0) > limit) throw tooLarge();
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

function listen(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
