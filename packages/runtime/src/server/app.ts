import type { Engine } from "../durable/engine.js";
import type { Manifest } from "../manifest/manifest.js";
import { type Answer, json, RequestError, type ServerRequest } from "./answer.js";
import { corsHeaders, type GuardOptions, guardOrigin, guardToken } from "./guard.js";
import { findPage } from "./inspector-page.js";
import { findRoute } from "./routes.js";

export interface AppOptions extends GuardOptions {
  readonly engine: Engine;
  /** What `/tools` shows. Default: the engine's. */
  readonly manifest?: Manifest;
  /** Whether there is a page at `/` that shows runs, workflows and tools. Default true. */
  readonly inspector?: boolean;
  /** The longest body, in bytes. Default 1 048 576. */
  readonly maxBodyBytes?: number;
  /** How long `/run` waits for a result before it answers with the run's id alone. Default 300 000 ms. */
  readonly runTimeoutMs?: number;
  /** How many requests may wait for runs at a time; more get a 503. Default 1 000. */
  readonly maxWaiting?: number;
  /** Default 15 000 ms. */
  readonly keepAliveMs?: number;
}

/** What a route is given beside the request. */
export interface AppContext extends Required<Pick<AppOptions, "engine" | "runTimeoutMs" | "keepAliveMs">> {
  readonly manifest: Manifest | undefined;
  /** Takes one of the places for requests that wait. @throws {RequestError} 503. @returns Gives it back. */
  enter(): () => void;
}

export type App = (request: ServerRequest) => Promise<Answer>;

/** Everything that the server answers, apart from how the request came. Never throws. */
export function makeApp(options: AppOptions): App {
  const {
    engine,
    manifest = options.engine.manifest,
    inspector = true,
    runTimeoutMs = 300_000,
    keepAliveMs = 15_000,
    maxWaiting = 1_000,
  } = options;
  let waiting = 0;
  const context: AppContext = {
    engine,
    manifest,
    runTimeoutMs,
    keepAliveMs,
    enter() {
      if (waiting >= maxWaiting) {
        throw new RequestError(503, "too-many-requests", "too many requests wait for runs; try again later", {
          headers: { "retry-after": "1" },
        });
      }
      waiting += 1;
      let isIn = true;
      return () => {
        if (isIn) waiting -= 1;
        isIn = false;
      };
    },
  };
  return async (given) => {
    const request = asGet(given);
    try {
      if (request.method === "OPTIONS") return preflight(request, options);
      guardOrigin(request, options);
      // The page holds nothing that is secret: it asks for the token itself.
      const page = inspector ? findPage(request) : undefined;
      if (page === undefined) guardToken(request, options);
      const answer = await (page ?? findRoute(request))(request, context);
      return { ...answer, headers: { ...SAFE, ...answer.headers, ...corsHeaders(request, options) } };
    } catch (error) {
      const answer = errorAnswer(error);
      return { ...answer, headers: { ...SAFE, ...answer.headers, ...corsHeaders(request, options) } };
    }
  };
}

const SAFE = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };

/** HEAD asks for what GET gives, less the body, which servers leave out. No stream begins without a reader. */
function asGet(request: ServerRequest): ServerRequest {
  return request.method === "HEAD" && request.path.at(-1) !== "stream" ? { ...request, method: "GET" } : request;
}

function preflight(request: ServerRequest, options: GuardOptions): Answer {
  const headers = corsHeaders(request, options);
  return { status: Object.keys(headers).length === 0 ? 403 : 204, headers, body: "" };
}

/** By the stable codes of our own errors; of any other only that it happened. */
const STATUS: { readonly [code: string]: number } = {
  "workflow-unknown": 404,
  "run-unknown": 404,
  "input-refused": 400,
  "not-waiting": 409,
  "already-decided": 409,
  "run-conflict": 409,
  "run-active": 409,
  "run-ended": 409,
  "run-cursor": 400,
  locked: 503,
  full: 507,
  closed: 503,
  "engine-stopped": 503,
};

export function errorAnswer(error: unknown): Answer {
  if (error instanceof RequestError) {
    const { status, code, message, details, headers } = error;
    return json({ error: { code, message, ...(details === undefined ? {} : { details }) } }, status, headers);
  }
  const { code, message, refusals } = error as { code?: unknown; message?: unknown; refusals?: unknown };
  const status = typeof code === "string" ? STATUS[code] : undefined;
  if (status === undefined) return json({ error: { code: "internal", message: "the server failed" } }, 500);
  return json({ error: { code, message, ...(refusals === undefined ? {} : { details: refusals }) } }, status);
}
