import { faultOfRunId } from "../durable/run-id.js";
import { hasEnded, RUN_STATES, type RunRecord, type RunState } from "../durable/run-store.js";
import type { Workflow } from "../durable/workflow.js";
import type { Json } from "../manifest/json-schema.js";
import { type Answer, json, methodRefused, RequestError, type ServerRequest } from "./answer.js";
import type { AppContext } from "./app.js";
import { type StreamOptions, writeFrames } from "./frames.js";
import { describeApi } from "./openapi.js";
import { readJson } from "./read-json.js";
import { shownRun as shown } from "./shown-run.js";
import { listTools, showTool } from "./tool-routes.js";

type Route = (request: ServerRequest, context: AppContext) => Promise<Answer>;

/** @throws {RequestError} 404, 405. */
export function findRoute(request: ServerRequest): Route {
  const { method, path } = request;
  const [first, second, third, ...rest] = path;
  if (first === "health" && path.length === 1) return only(request, "GET", async () => json({ status: "ok" }));
  if (first === "openapi.json" && path.length === 1)
    return only(request, "GET", async (_, context) => json(describeApi(context)));
  if (first === "workflows") return workflowRoute(request);
  if (first === "tools" && path.length <= 2) {
    return only(request, "GET", async (each, context) =>
      second === undefined ? listTools(context) : showTool(second, each, context),
    );
  }
  if (first === "runs") {
    if (second === undefined) return only(request, "GET", listRuns);
    const route = rest.length === 0 ? RUN_ROUTES[`${method} ${third ?? ""}`] : undefined;
    if (route !== undefined) return (each, context) => route(second, each, context);
    const allowed = Object.keys(RUN_ROUTES)
      .map((key) => key.split(" ", 2))
      .flatMap(([each = "", part]) => (part === (third ?? "") && rest.length === 0 ? [each] : []));
    throw allowed.length > 0 ? methodRefused(method, allowed) : notFound(request);
  }
  throw notFound(request);
}

function only(request: ServerRequest, method: string, route: Route): Route {
  if (request.method !== method) throw methodRefused(request.method, [method]);
  return route;
}

/** `/workflows`, `/workflows/[NAMESPACE/]NAME/(run|resume|status|cancel)/…` */
function workflowRoute(request: ServerRequest): Route {
  const parts = request.path.slice(1);
  if (parts.length === 0) return only(request, "GET", listWorkflows);
  const at = parts.findIndex((part, index) => index >= 1 && index <= 2 && ACTIONS.has(part));
  if (at === -1) throw notFound(request);
  const name = parts.slice(0, at).join("/");
  const [action, ...rest] = parts.slice(at) as [string, ...string[]];
  if (action === "run") {
    const [mode = "sync", ...more] = rest;
    if (more.length > 0 || !MODES.has(mode)) throw notFound(request);
    return only(request, "POST", (each, context) => startRun(name, mode, each, context));
  }
  const [runId, mode = "sync", ...more] = rest;
  if (runId === undefined || more.length > 0) throw notFound(request);
  if (action === "status")
    return only(request, "GET", async (_, context) => json(shown(await runOf(name, runId, context))));
  if (action === "cancel") {
    return only(request, "POST", async (each, context) => {
      await runOf(name, runId, context);
      return cancelRun(runId, each, context);
    });
  }
  if (!MODES.has(mode)) throw notFound(request);
  return only(request, "POST", async (each, context) => {
    await runOf(name, runId, context);
    const { length: from } = await context.engine.log(runId);
    await resumeFrom(runId, each, context);
    return answerRun(runId, { mode, from }, each, context);
  });
}

const ACTIONS = new Set(["run", "resume", "status", "cancel"]);
const MODES = new Set(["sync", "async", "stream"]);

type RunRoute = (runId: string, request: ServerRequest, context: AppContext) => Promise<Answer>;

const RUN_ROUTES: { readonly [methodAndPart: string]: RunRoute } = {
  "GET ": async (runId, _, { engine }) => json(shown(await engine.get(runId))),
  "DELETE ": async (runId, _, { engine }) => {
    await engine.get(runId);
    await engine.delete(runId);
    return json({ runId, deleted: true });
  },
  "GET events": async (runId, { query }, { engine }) =>
    json({ runId, events: await engine.log(runId, numberIn(query, "from") ?? 0) }),
  "GET stream": followRun,
  "GET approvals": async (runId, _, { engine }) => json({ runId, approvals: await engine.approvals(runId) }),
  "POST approve": (runId, request, context) => decide("approve", runId, request, context),
  "POST reject": (runId, request, context) => decide("reject", runId, request, context),
  "POST resume": async (runId, request, context) => {
    await resumeFrom(runId, request, context);
    return json(shown(await context.engine.get(runId)), 202);
  },
  "POST cancel": cancelRun,
};

async function listWorkflows(_: ServerRequest, { engine }: AppContext): Promise<Answer> {
  return json({
    workflows: engine.workflows.map((workflow) => {
      const input = engine.inputSchema(workflow);
      const { name, namespace, description } = workflow;
      return {
        name,
        namespace,
        ...(description === undefined ? {} : { description }),
        ...(input === undefined ? {} : { input }),
      };
    }),
  });
}

async function listRuns({ query }: ServerRequest, { engine }: AppContext): Promise<Answer> {
  const state = query.get("state")?.toUpperCase() as RunState | undefined;
  if (state !== undefined && !RUN_STATES.includes(state)) {
    throw new RequestError(400, "query-refused", `state must be one of ${RUN_STATES.join(", ")}`);
  }
  const limit = numberIn(query, "limit");
  const [workflow, namespace, cursor] = ["workflow", "namespace", "cursor"].map((name) => query.get(name) ?? undefined);
  const { runs, cursor: next } = await engine.list({
    ...(state === undefined ? {} : { state }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(limit === undefined ? {} : { limit }),
  });
  return json({ runs: runs.map(shown), ...(next === undefined ? {} : { cursor: next }) });
}

async function startRun(name: string, mode: string, request: ServerRequest, context: AppContext): Promise<Answer> {
  const { engine } = context;
  const workflow = engine.workflow(name);
  const input = await readJson(request);
  await engine.checkInput(workflow, input);
  const runId = request.query.get("runId") ?? crypto.randomUUID();
  const fault = faultOfRunId(runId);
  if (fault !== undefined) throw new RequestError(400, "query-refused", `runId ${fault}`);
  if (mode === "async") {
    // A second start may find it over.
    const { state } = await engine.submit(workflow as Workflow<unknown>, input, { runId });
    return json({ runId, state }, 202, {
      ...runIdHeader(runId),
      location: `/runs/${encodeURIComponent(runId)}`,
    });
  }
  const leave = context.enter();
  try {
    const begin = (): Promise<RunRecord> => engine.submit(workflow as Workflow<unknown>, input, { runId });
    return await answerRun(runId, { mode, from: 0, begin, leave }, request, context);
  } catch (error) {
    leave();
    throw error;
  }
}

interface AnswerHow {
  readonly mode: string;
  /** The number of the last event before. */
  readonly from: number;
  readonly begin?: () => Promise<RunRecord>;
  readonly leave?: () => void;
}

/** An id may have letters that no header can hold: they, and `%`, are as in an address. */
function runIdHeader(runId: string): { readonly "x-run-id": string } {
  return { "x-run-id": runId.toWellFormed().replace(/[^!-~]+|%/g, encodeURIComponent) };
}

/** Waits for a run's end or pause, or shows it on the way. */
async function answerRun(runId: string, how: AnswerHow, request: ServerRequest, context: AppContext): Promise<Answer> {
  const { mode, from, begin, leave = () => {} } = how;
  const { engine, runTimeoutMs } = context;
  const headers = runIdHeader(runId);
  if (mode === "async") return json(shown(await engine.get(runId)), 202, headers);
  const { signal } = request;
  if (mode === "stream") {
    const how = streamOptions(request, context);
    const events = engine.events(runId, { from, untilPaused: true, signal });
    await orClose(events, begin);
    return eventStream(writeFrames(events, { ...how, show: how.detail ? "all" : "progress", onEnd: leave }), headers);
  }
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(runTimeoutMs)]);
    const events = engine.events(runId, { from, untilPaused: true, signal: limit });
    await orClose(events, begin);
    for await (const _ of events) {
      // Until it ends or waits.
    }
    const run = await engine.get(runId);
    return json(shown(run), statusOf(run), headers);
  } finally {
    leave();
  }
}

/** Whoever listens does so before the run begins; when it does not begin, nobody listens. */
async function orClose(events: AsyncGenerator<unknown, void>, begin: AnswerHow["begin"]): Promise<void> {
  try {
    await begin?.();
  } catch (error) {
    // A generator that was not asked for anything does not run its end.
    void events.next().catch(() => {});
    await events.return();
    throw error;
  }
}

function statusOf({ state }: RunRecord): number {
  if (state === "COMPLETED") return 200;
  if (state === "FAILED") return 500;
  return state === "CANCELLED" ? 409 : 202;
}

/** @throws {RequestError} 400. */
function streamOptions(
  { query }: ServerRequest,
  { keepAliveMs }: AppContext,
): Pick<StreamOptions, "batchMs" | "detail" | "keepAliveMs"> {
  const batchMs = numberIn(query, "batch");
  const detail = query.get("detail");
  if (detail !== null && detail !== "full") throw new RequestError(400, "query-refused", "detail must be full");
  return { keepAliveMs, detail: detail !== null, ...(batchMs === undefined ? {} : { batchMs }) };
}

/** Stored events from where the client was, then those to come. */
async function followRun(runId: string, request: ServerRequest, context: AppContext): Promise<Answer> {
  const { engine } = context;
  const run = await engine.get(runId);
  const last = request.header("last-event-id");
  if (last !== undefined && !/^\d{0,15}$/.test(last)) {
    throw new RequestError(400, "query-refused", "Last-Event-ID must be a number of an event");
  }
  const from = last === undefined ? (numberIn(request.query, "from") ?? 0) : Number(last);
  const headers = runIdHeader(runId);
  const { signal } = request;
  const how = streamOptions(request, context);
  // An EventSource that has seen everything comes again until it is told that there is no more.
  if (hasEnded(run.state) && from > 0 && (await engine.log(runId, from)).length === 0) {
    return { status: 204, headers, body: "" };
  }
  const onEnd = hasEnded(run.state) ? () => {} : context.enter();
  return eventStream(writeFrames(engine.events(runId, { from, signal }), { ...how, show: "all", onEnd }), headers);
}

function eventStream(frames: AsyncGenerator<string, void>, headers: Readonly<Record<string, string>>): Answer {
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      // No proxy may keep, change or hold back what passes.
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      ...headers,
    },
    body: frames,
  };
}

async function decide(
  how: "approve" | "reject",
  runId: string,
  request: ServerRequest,
  { engine }: AppContext,
): Promise<Answer> {
  const { taskId, reason, by } = textsIn(await readJson(request), ["taskId", "reason", "by"]);
  await engine[how](runId, {
    ...(taskId === undefined ? {} : { taskId }),
    ...(reason === undefined ? {} : { reason }),
    ...(by === undefined ? {} : { by }),
  });
  return json(shown(await engine.get(runId)), 202);
}

async function resumeFrom(runId: string, request: ServerRequest, { engine }: AppContext): Promise<void> {
  const body = await readJson(request);
  const { name } = textsIn(body, ["name"], ["value"]);
  const { value } = (body ?? {}) as { readonly value?: Json };
  await engine.resume(runId, { ...(name === undefined ? {} : { name }), ...(value === undefined ? {} : { value }) });
}

async function cancelRun(runId: string, _: ServerRequest, { engine }: AppContext): Promise<Answer> {
  await engine.cancel(runId);
  return json(shown(await engine.get(runId)), 202);
}

/** A run of that workflow, and of no other. @throws 404 */
async function runOf(name: string, runId: string, { engine }: AppContext): Promise<RunRecord> {
  const workflow = engine.workflow(name);
  const run = await engine.get(runId);
  if (run.workflow === workflow.name && run.namespace === workflow.namespace) return run;
  throw new RequestError(404, "run-unknown", `there is no run ${JSON.stringify(runId)} of ${name}`);
}

/** Named texts of a body. @throws {RequestError} 400 for anything else in it. */
function textsIn<Name extends string>(
  body: Json | undefined,
  names: readonly Name[],
  others: readonly string[] = [],
): { readonly [Key in Name]?: string } {
  if (body === undefined) return {};
  const refuse = (path: readonly string[], message: string): RequestError =>
    new RequestError(400, "body-refused", "the body does not fit", { details: [{ path, message }] });
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw refuse([], "must be an object");
  for (const [name, value] of Object.entries(body)) {
    if (others.includes(name)) continue;
    if (!names.includes(name as Name))
      throw refuse([name], `is not known; there are ${[...names, ...others].join(", ")}`);
    if (typeof value !== "string") throw refuse([name], "must be a text");
  }
  return body as { readonly [Key in Name]?: string };
}

/** @throws {RequestError} 400. */
function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new RequestError(400, "query-refused", `${name} must be a whole number, 0 or more`);
  return Number(text);
}

function notFound({ path }: ServerRequest): RequestError {
  return new RequestError(404, "not-found", `there is nothing at /${path.join("/")}; see /openapi.json`);
}
