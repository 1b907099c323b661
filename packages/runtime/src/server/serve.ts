import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { isLoopback } from "./guard.js";
import { type ListenerOptions, makeListener } from "./node-listener.js";

export interface ServeOptions extends Omit<ListenerOptions, "basePath"> {
  /** Default 127.0.0.1. Any address that other machines can reach needs a `token`. */
  readonly host?: string;
  /** Default 8 000; 0 for any that is free. */
  readonly port?: number;
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
  const listen = makeListener(options);
  const under = new Set<AbortController>();
  const server = createServer({ maxHeaderSize: 16_384 }, (incoming, response) => {
    const ending = new AbortController();
    under.add(ending);
    response.once("close", () => under.delete(ending));
    listen(incoming, response, ending.signal);
  });
  // A client that sends slowly, or never, holds a connection only so long.
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  server.maxRequestsPerSocket = 1_000;
  await listenOn(server, { host, port });
  const address = server.address() as AddressInfo;
  const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${shown}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const ending of under) ending.abort();
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 1_000).unref();
      }),
  };
}

function listenOn(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
