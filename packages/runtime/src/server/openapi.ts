import { RUN_STATES } from "../durable/run-store.js";
import { isRecord } from "../manifest/is-record.js";
import type { Json, JsonSchema } from "../manifest/json-schema.js";
import type { AppContext } from "./app.js";

/** A description of the API by OpenAPI 3.1, whose schemas are JSON Schema 2020-12: those of the inputs are taken as they are. */
export function describeApi({ engine }: Pick<AppContext, "engine">): Json {
  const paths: { [path: string]: Json } = {};
  const schemas: { [name: string]: Json } = { Run: RUN, Error: ERROR };
  for (const workflow of engine.workflows) {
    const input = engine.inputSchema(workflow);
    const at = `/workflows/${workflow.namespace === "default" ? "" : `${workflow.namespace}/`}${workflow.name}`;
    const body =
      input === undefined
        ? {}
        : {
            requestBody: {
              required: true,
              content: { "application/json": { schema: ownDefs(input, { workflow: workflow.name, schemas }) } },
            },
          };
    const summary = workflow.description ?? `Runs ${workflow.name}.`;
    paths[`${at}/run`] = { post: { summary, operationId: `run_${workflow.name}`, ...body, responses: RUN_ANSWERS } };
    paths[`${at}/run/async`] = {
      post: {
        summary: `${summary} Does not wait.`,
        operationId: `start_${workflow.name}`,
        ...body,
        responses: RUN_ANSWERS,
      },
    };
    paths[`${at}/run/stream`] = {
      post: {
        summary: `${summary} Shows what happens on the way.`,
        operationId: `stream_${workflow.name}`,
        ...body,
        parameters: STREAM_QUERY,
        responses: { "200": EVENT_STREAM, default: ERROR_ANSWER },
      },
    };
  }
  const runId: Json = { name: "runId", in: "path", required: true, schema: { type: "string" } };
  const at = (operation: { [key: string]: Json }): Json => ({
    parameters: [runId],
    responses: RUN_ANSWERS,
    ...operation,
  });
  const decision: Json = {
    content: {
      "application/json": {
        schema: {
          type: "object",
          properties: { taskId: { type: "string" }, reason: { type: "string" }, by: { type: "string" } },
          additionalProperties: false,
        },
      },
    },
  };
  Object.assign(paths, {
    "/runs": {
      get: {
        summary: "Lists runs, the newest first.",
        operationId: "list_runs",
        parameters: [
          inQuery("state", { enum: [...RUN_STATES] }),
          inQuery("workflow", { type: "string" }),
          inQuery("namespace", { type: "string" }),
          inQuery("limit", { type: "integer", minimum: 1, maximum: 1_000, default: 50 }),
          inQuery("cursor", { type: "string" }, "Of the page before."),
        ],
        responses: {
          "200": described("A page of runs; without a cursor, the last one.", {
            type: "object",
            properties: { runs: { type: "array", items: reference("Run") }, cursor: { type: "string" } },
            required: ["runs"],
          }),
          default: ERROR_ANSWER,
        },
      },
    },
    "/runs/{runId}": {
      get: at({ summary: "How a run fares.", operationId: "get_run" }),
      delete: at({ summary: "Removes a run that has ended.", operationId: "delete_run" }),
    },
    "/runs/{runId}/events": { get: at({ summary: "The event log as it is stored.", operationId: "get_events" }) },
    "/runs/{runId}/stream": {
      get: at({
        summary: "The event log as it is stored, then as it grows; Last-Event-ID says where to begin.",
        operationId: "follow_run",
        parameters: [
          runId,
          ...STREAM_QUERY,
          inQuery("from", { type: "integer", minimum: 0 }, "The number of the event after which to begin."),
          {
            name: "Last-Event-ID",
            in: "header",
            description: "Goes before `from`.",
            schema: { type: "integer", minimum: 0 },
          },
        ],
        responses: {
          "200": EVENT_STREAM,
          "204": { description: "The run has ended, and there is nothing after that event." },
          default: ERROR_ANSWER,
        },
      }),
    },
    "/runs/{runId}/approvals": {
      get: at({ summary: "The calls that wait for a person.", operationId: "get_approvals" }),
    },
    "/runs/{runId}/approve": {
      post: at({ summary: "Lets a call run.", operationId: "approve", requestBody: decision }),
    },
    "/runs/{runId}/reject": { post: at({ summary: "Refuses a call.", operationId: "reject", requestBody: decision }) },
    "/runs/{runId}/resume": {
      post: at({ summary: "Gives a paused run its value.", operationId: "resume", requestBody: RESUME }),
    },
    "/runs/{runId}/cancel": { post: at({ summary: "Ends a run as soon as possible.", operationId: "cancel" }) },
    "/workflows": {
      get: {
        summary: "The workflows, with the schemas of their inputs.",
        operationId: "list_workflows",
        responses: { "200": { description: "All of them." }, default: ERROR_ANSWER },
      },
    },
    "/tools": {
      get: {
        summary: "The tools of the manifest, and the targets that they can be shown for.",
        operationId: "list_tools",
        responses: {
          "200": described("All of them, as the manifest has them.", {
            type: "object",
            properties: {
              tools: { type: "array", items: { type: "object" } },
              targets: { type: "array", items: { type: "string" } },
            },
            required: ["tools", "targets"],
          }),
          default: ERROR_ANSWER,
        },
      },
    },
    "/tools/{name}": {
      get: {
        summary: "One tool as the manifest has it; with a target as that provider gets it.",
        operationId: "get_tool",
        parameters: [
          { name: "name", in: "path", required: true, schema: { type: "string" } },
          inQuery("target", { type: "string" }, "One of the targets of /tools."),
        ],
        responses: { "200": described("The tool.", { anyOf: [{ type: "object" }, WIRE] }), default: ERROR_ANSWER },
      },
    },
    "/health": {
      get: {
        summary: "Whether the server answers.",
        operationId: "health",
        responses: { "200": { description: "It does." } },
      },
    },
  });
  return {
    openapi: "3.1.0",
    info: { title: "callsign workflows", version: "1" },
    paths,
    components: { schemas, securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}

/** References of a schema are to its own `$defs`; in the description they are to the components. */
function ownDefs(
  schema: JsonSchema,
  { workflow, schemas }: { workflow: string; schemas: { [name: string]: Json } },
): Json {
  const { $defs = {}, ...rest } = schema as unknown as { [keyword: string]: Json } & {
    $defs?: { [name: string]: Json };
  };
  const rename = (name: string): string => `${workflow}.${name}`.replace(/[^A-Za-z0-9._-]/g, "_");
  const moved = (value: Json): Json => {
    if (Array.isArray(value)) return value.map((element) => moved(element as Json));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        const name = key === "$ref" && typeof member === "string" ? /^#\/\$defs\/(.+)$/.exec(member)?.[1] : undefined;
        if (name === undefined) return [key, moved(member as Json)];
        return [
          key,
          `#/components/schemas/${rename(decodeURIComponent(name.replaceAll("~1", "/").replaceAll("~0", "~")))}`,
        ];
      }),
    );
  };
  for (const [name, definition] of Object.entries($defs)) schemas[rename(name)] = moved(definition);
  return moved(rest);
}

const RUN: Json = {
  type: "object",
  properties: {
    runId: { type: "string" },
    namespace: { type: "string" },
    workflow: { type: "string" },
    state: { enum: [...RUN_STATES] },
    input: {},
    result: {},
    error: { type: "object" },
    waitingFor: { type: "array", items: { type: "string" } },
    createdAt: { type: "string", format: "date-time" },
    updatedAt: { type: "string", format: "date-time" },
  },
  required: ["runId", "state"],
};

const ERROR: Json = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { type: "string" },
        message: { type: "string" },
        details: { type: "array", items: { type: "object" } },
      },
      required: ["code", "message"],
    },
  },
  required: ["error"],
};

/** A tool as one provider gets it. */
const WIRE: Json = {
  type: "object",
  properties: {
    name: { type: "string" },
    target: { type: "string" },
    used: { type: "string", description: "The target of the wire form: a plainer one where the schema does not fit." },
    strict: { type: "boolean" },
    wire: { type: "object" },
    dropped: {
      type: "array",
      items: {
        type: "object",
        properties: { pointer: { type: "string" }, keyword: { type: "string" }, value: {} },
        required: ["pointer", "keyword", "value"],
      },
    },
    notes: { type: "array", items: { type: "string" } },
  },
  required: ["name", "target", "used", "strict", "wire", "dropped", "notes"],
};

const RESUME: Json = {
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: {
          name: { type: "string", description: "Of the pause; may be left out when the run waits in one only." },
          value: {},
        },
        additionalProperties: false,
      },
    },
  },
};

const inQuery = (name: string, schema: Json, description?: string): Json => ({
  name,
  in: "query",
  schema,
  ...(description === undefined ? {} : { description }),
});
const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const described = (description: string, schema: Json): Json => ({
  description,
  content: { "application/json": { schema } },
});
const content = (name: string): Json => ({ "application/json": { schema: reference(name) } });
const STREAM_QUERY: readonly Json[] = [
  inQuery("batch", { type: "integer", minimum: 0 }, "Tokens of so many milliseconds are one frame."),
  inQuery("detail", { const: "full" }, "Every stored event with its time, and progress with its task."),
];
const ERROR_ANSWER: Json = { description: "What is wrong, with the paths that do not fit.", content: content("Error") };
const RUN_ANSWERS: Json = {
  "200": { description: "The run has ended.", content: content("Run") },
  "202": { description: "The run goes on, or waits.", content: content("Run") },
  default: ERROR_ANSWER,
};
const EVENT_STREAM: Json = {
  description: "Server-sent events.",
  content: { "text/event-stream": { schema: { type: "string" } } },
};
