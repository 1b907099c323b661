import { RequestError, type ServerRequest } from "./answer.js";
import { type AppOptions, makeApp } from "./app.js";
import { splitPath } from "./split-path.js";

/** What `createHandler` takes beside what the server itself does. */
export interface HandlerOptions extends AppOptions {
  /** Where in another server it is mounted: `/callsign`. Default: at the root. */
  readonly basePath?: string;
}

/**
 * A Web-standard handler of the workflow API, for mounting in other servers: `Bun.serve`, `Deno.serve`, Hono, or any
 * framework that has requests and responses of the fetch API.
 *
 * @example
 * import { openEngine } from "@callsign/runtime"
 * import { createHandler } from "@callsign/runtime/server"
 *
 * const engine = await openEngine({ workflows: [] })
 * const handler = createHandler({ engine, basePath: "/callsign", token: process.env.CALLSIGN_TOKEN ?? "secret" })
 * const response = await handler(new Request("http://localhost/callsign/health"))
 */
export function createHandler(options: HandlerOptions): (request: Request) => Promise<Response> {
  const app = makeApp(options);
  const base = splitPath(options.basePath ?? "/");
  const limit = options.maxBodyBytes ?? 1_048_576;
  return async (request) => {
    const url = new URL(request.url);
    const path = splitPath(url.pathname);
    const isInside = base.every((part, index) => path[index] === part);
    // Not every server aborts the request's signal; all of them let go of a body that nobody reads.
    const gone = new AbortController();
    const asked: ServerRequest = {
      method: request.method,
      pathname: url.pathname,
      path: isInside ? path.slice(base.length) : ["", ...path],
      query: url.searchParams,
      header: (name) =>
        name === "host" ? (request.headers.get("host") ?? url.host) : (request.headers.get(name) ?? undefined),
      body: () => readBody(request, limit),
      signal: AbortSignal.any([request.signal, gone.signal]),
    };
    const { status, headers, body } = await app(asked);
    const hasNoBody = status === 204 || status === 304 || request.method === "HEAD";
    return new Response(hasNoBody ? null : typeof body === "string" ? body : toStream(body, gone), {
      status,
      headers: { ...headers },
    });
  };
}

async function readBody(request: Request, limit: number): Promise<string> {
  const tooLarge = (): RequestError =>
    new RequestError(413, "body-too-large", `the body is longer than ${limit} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge();
  if (request.body === null) return "";
  const reader = request.body.getReader();
  try {
    const decoder = new TextDecoder();
    let length = 0;
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      length += value.byteLength;
      if (length > limit) throw tooLarge();
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    // Cancelled it would, in some servers, take the connection along, and the answer with it.
    reader.releaseLock();
  }
}

function toStream(pieces: AsyncIterable<string>, gone: AbortController): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const step = await iterator.next();
      if (step.done === true) controller.close();
      else controller.enqueue(encoder.encode(step.value));
    },
    async cancel() {
      // What waits for the next piece is not waited for.
      gone.abort();
      await iterator.return?.();
    },
  });
}
