import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  agent,
  type Engine,
  pause,
  progress,
  task,
  type Workflow,
  type WorkflowContext,
  workflow,
} from "../../src/index.js";
import type { CustomModel } from "../../src/open-model.js";
import { createHandler, type ServeOptions, serve } from "../../src/server/index.js";
import { scriptedModel } from "../agent/scripted-model.js";
import { makeFolder, openTestEngine, until } from "../durable/open-test-engine.js";
import { objectSchema } from "../manifest-fixture.js";

const echo = workflow("echo", async (ctx: WorkflowContext<unknown>) => ctx.input ?? null);
const broken = workflow("broken", async () => {
  throw new Error(`cannot read ${process.cwd()}/secret.txt`);
});
const waiting = workflow("waiting", () => pause("word", { output: "say it" }));
const pay = task({ requiresApproval: true }, async function pay(amount: number) {
  return `paid ${amount}`;
});
const paying = workflow("paying", async (ctx: WorkflowContext<{ amount: number }>) => pay(ctx.input.amount));

async function start(
  options: Partial<Omit<ServeOptions, "engine">> & { workflows?: readonly Workflow<never, unknown>[] } = {},
): Promise<{ engine: Engine; url: string }> {
  const { workflows = [echo, broken, waiting, paying], ...rest } = options;
  const manifest = {
    formatVersion: 1,
    tools: [],
    schemas: [],
    workflows: [{ name: "paying", module: "x.ts", input: objectSchema({ amount: { type: "number", minimum: 1 } }) }],
  } as never;
  const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows, manifest });
  const server = await serve({ engine, port: 0, ...rest });
  onTestFinished(() => server.close());
  return { engine, url: server.url };
}

const post = (url: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

interface Body {
  readonly [name: string]: unknown;
  readonly runId: string;
  readonly state: string;
  readonly error: { readonly code: string };
  readonly events: readonly { readonly type: string }[];
  readonly runs: readonly unknown[];
  readonly approvals: readonly { readonly taskId: string }[];
  readonly workflows: readonly { readonly name: string }[];
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly requestBody: {
            readonly content: Readonly<
              Record<string, { readonly schema: { readonly properties: Readonly<Record<string, unknown>> } }>
            >;
          };
        };
      }
    >
  >;
}

const bodyOf = async (response: Response): Promise<Body> => (await response.json()) as Body;

/** The frames of an event stream, as they come. */
async function* framesOf(
  response: Response,
): AsyncGenerator<{ id?: string; data: { type: string; value?: unknown; name?: string } }> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() as string;
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      const id = /^id: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) yield { data: JSON.parse(data), ...(id === undefined ? {} : { id }) };
    }
  }
}

async function allFrames(response: Response) {
  const frames = [];
  for await (const frame of framesOf(response)) frames.push(frame);
  return frames;
}

const summarizer = (model: CustomModel) =>
  workflow("summarizer", async (ctx: WorkflowContext<{ text: string }>) =>
    agent("You are a concise summarizer.", { model })(ctx.input.text),
  );

describe("the server", () => {
  test("streams tokens as frames, each as soon as it is there, and ends with the result", async () => {
    const second = Promise.withResolvers<void>();
    const base = scriptedModel([]);
    const model: CustomModel = {
      ...base,
      entry: {
        ...base.entry,
        open: async () => ({
          name: "scripted",
          async *stream() {
            yield { type: "text" as const, text: "The" };
            // Only after the client has had the first one.
            await second.promise;
            yield { type: "text" as const, text: " document" };
            const message = { role: "assistant" as const, content: [{ type: "text" as const, text: "The document" }] };
            yield { type: "reply" as const, reply: { message, stop: "end" as const, usage: {}, notes: [] } };
          },
        }),
      },
    };
    const { url } = await start({ workflows: [summarizer(model)] });
    const response = await post(`${url}/workflows/summarizer/run/stream`, { text: "The quick brown fox" });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    expect(response.headers.get("x-run-id")).toMatch(/^[0-9a-f-]{36}$/);
    const tokens: unknown[] = [];
    let last: unknown;
    for await (const { data } of framesOf(response)) {
      if ((data.value as { token?: string } | null)?.token !== undefined) {
        tokens.push(data);
        second.resolve();
      }
      last = data;
    }
    expect(tokens).toEqual([
      { type: "TASK_PROGRESS", value: { token: "The" } },
      { type: "TASK_PROGRESS", value: { token: " document" } },
    ]);
    expect(last).toEqual({ type: "WORKFLOW_COMPLETED", value: "The document" });
  });

  test("puts tokens together where that is asked for", async () => {
    const flow = workflow("talk", async () => {
      for (const token of ["a", "b", "c"]) progress({ type: "token", text: token });
      progress({ step: 1 });
      return "abc";
    });
    const { url } = await start({ workflows: [flow] });
    const frames = await allFrames(await post(`${url}/workflows/talk/run/stream?batch=20`));
    expect(frames.map(({ data }) => data)).toEqual([
      { type: "TASK_PROGRESS", value: { token: "abc" } },
      { type: "TASK_PROGRESS", value: { step: 1 } },
      { type: "WORKFLOW_COMPLETED", value: "abc" },
    ]);
  });

  test("runs a workflow and answers with its result, or with what became of it", async () => {
    const { url } = await start();
    for (const path of ["echo/run", "echo/run/sync", "default/echo/run"]) {
      const response = await post(`${url}/workflows/${path}`, { n: [1, "ü"] });
      expect(response.status).toBe(200);
      expect(await bodyOf(response)).toMatchObject({ state: "COMPLETED", result: { n: [1, "ü"] } });
    }
    const failed = await post(`${url}/workflows/broken/run`, {});
    expect(failed.status).toBe(500);
    const text = await failed.text();
    expect(JSON.parse(text)).toMatchObject({ state: "FAILED", error: { message: "cannot read ./secret.txt" } });
    expect(text).not.toMatch(/at .*\.ts:\d|node_modules/);
    const paused = await post(`${url}/workflows/waiting/run`);
    expect([paused.status, (await bodyOf(paused)).waitingFor]).toEqual([202, ["pause:word#pause:1"]]);
  });

  test("starts without waiting, says how a run fares, and gives its log", async () => {
    const { url, engine } = await start();
    const started = await post(`${url}/workflows/echo/run/async?runId=my-run`, 7);
    expect([started.status, started.headers.get("location")]).toEqual([202, "/runs/my-run"]);
    await engine.result("my-run");
    const status = await bodyOf(await fetch(`${url}/workflows/echo/status/my-run`));
    expect(status).toMatchObject({ runId: "my-run", workflow: "echo", state: "COMPLETED", input: 7, result: 7 });
    expect(JSON.stringify(status)).not.toContain("owner");
    const { events } = await bodyOf(await fetch(`${url}/runs/my-run/events`));
    expect(events.map(({ type }: { type: string }) => type)).toEqual(["WORKFLOW_STARTED", "WORKFLOW_COMPLETED"]);
    const { runs } = await bodyOf(await fetch(`${url}/runs?state=completed&limit=5`));
    expect(runs).toHaveLength(1);
    expect((await fetch(`${url}/workflows/broken/status/my-run`)).status).toBe(404);
    expect((await fetch(`${url}/runs/my-run`, { method: "DELETE" })).status).toBe(200);
    expect((await fetch(`${url}/runs/my-run`)).status).toBe(404);
  });

  test("checks the input against the compiled schema, and says every path that does not fit", async () => {
    const { url } = await start();
    const response = await post(`${url}/workflows/paying/run`, { amount: 0, other: 1 });
    expect(response.status).toBe(400);
    const { error } = await bodyOf(response);
    expect(error).toMatchObject({
      code: "input-refused",
      details: expect.arrayContaining([expect.objectContaining({ path: ["amount"] })]),
    });
  });

  test("takes approvals and resumes, once", async () => {
    const { url } = await start();
    const { runId } = await bodyOf(await post(`${url}/workflows/paying/run`, { amount: 5 }));
    const { approvals } = await bodyOf(await fetch(`${url}/runs/${runId}/approvals`));
    expect(approvals).toMatchObject([{ name: "pay", args: [5] }]);
    expect((await post(`${url}/runs/${runId}/approve`, { taskId: approvals[0]?.taskId, by: "ann" })).status).toBe(202);
    const again = await post(`${url}/runs/${runId}/reject`, { taskId: approvals[0]?.taskId });
    expect([again.status, (await bodyOf(again)).error.code]).toEqual([409, "already-decided"]);
    await until(async () => (await bodyOf(await fetch(`${url}/runs/${runId}`))).result === "paid 5");

    const paused = await bodyOf(await post(`${url}/workflows/waiting/run`));
    const resumed = await post(`${url}/workflows/waiting/resume/${paused.runId}`, { name: "word", value: { w: 1 } });
    expect(await bodyOf(resumed)).toMatchObject({ state: "COMPLETED", result: { w: 1 } });
    expect((await post(`${url}/runs/${paused.runId}/resume`, {})).status).toBe(409);
  });

  test("cancels a run", async () => {
    const { url } = await start();
    const { runId } = await bodyOf(await post(`${url}/workflows/waiting/run`));
    expect((await post(`${url}/workflows/waiting/cancel/${runId}`)).status).toBe(202);
    await until(async () => (await bodyOf(await fetch(`${url}/runs/${runId}`))).state === "CANCELLED");
  });

  test("shows a run from where the client was, then as it goes on", async () => {
    const { url, engine } = await start();
    const { runId } = await bodyOf(await post(`${url}/workflows/waiting/run`));
    const seen = await engine.log(runId);
    const response = await fetch(`${url}/runs/${runId}/stream`, { headers: { "last-event-id": "1" } });
    const frames: { id?: string; data: { type: string } }[] = [];
    for await (const frame of framesOf(response)) {
      frames.push(frame);
      if (frames.length === seen.length - 1) void engine.resume(runId, { value: "go" });
    }
    expect(frames.map(({ id }) => Number(id))).toEqual(frames.map((_, index) => index + 2));
    expect(frames.at(-1)?.data).toEqual({ type: "WORKFLOW_COMPLETED", value: "go" });
  });

  test("describes itself by OpenAPI, with the compiled schemas", async () => {
    const { url } = await start();
    const api = await bodyOf(await fetch(`${url}/openapi.json`));
    expect(api.openapi).toBe("3.1.0");
    expect(
      api.paths["/workflows/paying/run"]?.post.requestBody.content["application/json"]?.schema.properties.amount,
    ).toEqual({
      type: "number",
      minimum: 1,
    });
    expect((await bodyOf(await fetch(`${url}/health`))).status).toBe("ok");
    expect(
      (await bodyOf(await fetch(`${url}/workflows`))).workflows.map(({ name }: { name: string }) => name),
    ).toContain("echo");
  });

  test("keeps a silent connection alive with comments", async () => {
    const gate = Promise.withResolvers<void>();
    const flow = workflow("slow", async () => gate.promise);
    const { url } = await start({ workflows: [flow], keepAliveMs: 20 });
    const response = await post(`${url}/workflows/slow/run/stream`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toContain(": keep-alive\n\n");
    gate.resolve();
    await reader.cancel();
  });

  test("lets a run go on when its client is gone", async () => {
    const gate = Promise.withResolvers<void>();
    const flow = workflow("slow", async () => {
      await gate.promise;
      return "done";
    });
    const { url, engine } = await start({ workflows: [flow] });
    const leaving = new AbortController();
    const response = await fetch(`${url}/workflows/slow/run/stream`, { method: "POST", signal: leaving.signal });
    leaving.abort();
    gate.resolve();
    expect(await engine.result(response.headers.get("x-run-id") as string)).toBe("done");
  });
});

describe("the server's safety", () => {
  test("an address that others can reach needs a token", async () => {
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [echo] });
    await expect(serve({ engine, host: "0.0.0.0", port: 0 })).rejects.toThrow("give a token");
  });

  test("a token is asked for, and no answer says more than that", async () => {
    const { url } = await start({ token: "s3cret-token" });
    expect((await fetch(`${url}/health`)).status).toBe(401);
    expect((await fetch(`${url}/health`, { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
    const right = await fetch(`${url}/health`, { headers: { authorization: "Bearer s3cret-token" } });
    expect(right.status).toBe(200);
  });

  test("pages of other sites, and other names of this machine, are refused", async () => {
    const { url } = await start({ corsOrigins: ["https://app.example"] });
    const from = (origin: string) => post(`${url}/workflows/echo/run`, 1, { origin });
    expect((await from("https://evil.example")).status).toBe(403);
    expect((await from("null")).status).toBe(403);
    const allowed = await from("https://app.example");
    expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([200, "https://app.example"]);
    const preflight = await fetch(`${url}/workflows/echo/run`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([403, null]);
    const renamed = await raw(url, `GET /health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
    expect(renamed).toMatch(/^HTTP\/1\.1 403/);
    const form = await fetch(`${url}/workflows/echo/run`, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "text/plain" },
    });
    expect(form.status).toBe(415);
  });

  test("bodies that are no JSON, too long, too deep or odd get a clear error", async () => {
    const { url } = await start({ maxBodyBytes: 1_000_000 });
    const send = async (body: string) => {
      const response = await fetch(`${url}/workflows/echo/run`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      return [response.status, (await bodyOf(response)).error?.code];
    };
    expect(await send("{")).toEqual([400, "body-not-json"]);
    expect(await send("[".repeat(10_000) + "]".repeat(10_000))).toEqual([400, "body-too-deep"]);
    expect(await send(JSON.stringify("x".repeat(1_000_001)))).toEqual([413, "body-too-large"]);
    expect(await send(`"${"[".repeat(10_000)}"`)).toEqual([200, undefined]);
    const packed = await post(`${url}/workflows/echo/run`, 1, { "content-encoding": "gzip" });
    expect([packed.status, (await bodyOf(packed)).error.code]).toEqual([415, "body-encoded"]);
    const proto = await post(
      `${url}/workflows/echo/run`,
      JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{}}}'),
    );
    expect(await proto.text()).toContain('"__proto__":{"polluted":1}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("a body of 100 MB is refused before it is there", async () => {
    const { url } = await start();
    const before = process.memoryUsage().rss;
    const head = `POST /workflows/echo/run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n`;
    expect(await raw(url, head)).toMatch(/^HTTP\/1\.1 413/);
    const chunked = `POST /workflows/echo/run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const piece = `100000\r\n${"x".repeat(0x100000)}\r\n`;
    expect(await raw(url, chunked + piece.repeat(3))).toMatch(/^HTTP\/1\.1 413/);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
  });

  test("a flood of headers, broken requests and path tricks end in an error and harm nothing", async () => {
    const { url } = await start();
    const flood = Array.from({ length: 5_000 }, (_, index) => `X-${index}: ${"y".repeat(20)}\r\n`).join("");
    expect(await raw(url, `GET /health HTTP/1.1\r\nHost: localhost\r\n${flood}\r\n`)).toMatch(/^HTTP\/1\.1 431/);
    for (const path of [
      "/../../etc/passwd",
      "/%2e%2e/runs",
      "/workflows/%00/run",
      "/runs/%ff/events",
      "//runs//",
      "/workflows/run/run",
      "/workflows/a/b/c/run",
      "/runs/x/y/z",
      `/${"a/".repeat(3_000)}`,
    ]) {
      const answer = await raw(url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(answer, path).toMatch(/^HTTP\/1\.1 (400|404|405|431)|^HTTP\/1\.1 200 OK[\s\S]*"runs"/);
    }
    expect((await fetch(`${url}/health`, { method: "PUT" })).status).toBe(405);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  test("answers HEAD as GET without the body, and says which methods there are", async () => {
    const { engine, url } = await start();
    for (const path of ["/health", "/", "/runs"]) {
      const answer = await fetch(`${url}${path}`, { method: "HEAD" });
      expect([answer.status, await answer.text()], path).toEqual([200, ""]);
      expect(Number(answer.headers.get("content-length")), path).toBeGreaterThan(10);
    }
    const handled = await createHandler({ engine })(new Request("http://localhost/health", { method: "HEAD" }));
    expect([handled.status, handled.body]).toEqual([200, null]);
    await engine.run(echo, 1, { runId: "one" });
    const allow = async (path: string) => {
      const answer = await fetch(`${url}${path}`, { method: "PUT" });
      return [answer.status, answer.headers.get("allow")];
    };
    expect(await allow("/health")).toEqual([405, "GET, HEAD"]);
    expect(await allow("/runs/one")).toEqual([405, "GET, HEAD, DELETE"]);
    expect(await allow("/runs/one/cancel")).toEqual([405, "POST"]);
    expect((await fetch(`${url}/runs/one/stream`, { method: "HEAD" })).status).toBe(405);
  });

  test("reads the whole query, an address in full, and refuses ids and cursors that lead nowhere", async () => {
    const { engine, url } = await start();
    await post(`${url}/workflows/echo/run?runId=a?b`, 1);
    expect((await engine.list()).runs.map(({ id }) => id)).toEqual(["a?b"]);
    const full = await raw(url, `GET ${url}/health?x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(full).toMatch(/^HTTP\/1\.1 200/);
    const other = await raw(
      url,
      `GET http://evil.example/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(other).toMatch(/^HTTP\/1\.1 403/);
    for (const id of ["", ".", "..", "%00", "a%0Ab", "%1B[31m", "x".repeat(201)]) {
      expect((await post(`${url}/workflows/echo/run?runId=${id}`, 1)).status, id).toBe(400);
    }
    const listed = await fetch(`${url}/runs?cursor=abc`);
    expect([listed.status, (await bodyOf(listed)).error.code]).toEqual([400, "run-cursor"]);
    for (const last of ["1e300", "0x2", "-1", "2.0", "1,2"]) {
      const stream = await fetch(`${url}/runs/a%3Fb/stream`, { headers: { "last-event-id": last } });
      expect(stream.status, last).toBe(400);
    }
  });

  test("a second start says how the run fares by then", async () => {
    const { url } = await start();
    await post(`${url}/workflows/echo/run?runId=one`, 1);
    const again = await post(`${url}/workflows/echo/run/async?runId=one`, 1);
    expect([again.status, await bodyOf(again)]).toEqual([202, { runId: "one", state: "COMPLETED" }]);
    expect((await post(`${url}/workflows/echo/run/async?runId=one`, 2)).status).toBe(409);
  });

  test("10,000 malformed bodies leave the server as it was", async () => {
    const { engine } = await start();
    const handler = createHandler({ engine });
    const odd = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json().map((text) => text.slice(0, Math.floor(text.length / 2))),
      fc.json().map((text) => `${text}${text}`),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("latin1")),
      fc.constantFrom(
        '{"amount":}',
        '{"amount":1e999}',
        '{"amount":"\\ud800"}',
        "null",
        "[]",
        '{"__proto__":1}',
        "\u0000",
      ),
    );
    for (const body of fc.sample(odd, { numRuns: 10_000, seed: 1 })) {
      const request = new Request("http://localhost/workflows/paying/run/async", {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      const { status } = await handler(request);
      expect([400, 202], body).toContain(status);
      // A body that happens to fit is a run.
      if (status === 202) expect(JSON.parse(body)).toHaveProperty("amount");
    }
    expect((await handler(new Request("http://localhost/health"))).status).toBe(200);
  });

  test("more requests than may wait get a 503 that says when to come again", async () => {
    const gate = Promise.withResolvers<void>();
    const flow = workflow("slow", async () => gate.promise);
    const { url } = await start({ workflows: [flow], maxWaiting: 2 });
    const waiting = [post(`${url}/workflows/slow/run`), post(`${url}/workflows/slow/run`)];
    await sleep(50);
    const third = await post(`${url}/workflows/slow/run`);
    expect([third.status, third.headers.get("retry-after")]).toEqual([503, "1"]);
    gate.resolve();
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(200);
    expect((await post(`${url}/workflows/slow/run`)).status).toBe(200);
  });

  test("a client that reads nothing is let go, and its run goes on", async () => {
    const flow = workflow("flood", async () => {
      for (let index = 0; index < 300; index += 1) {
        progress({ text: "x".repeat(50_000) });
        await sleep(1);
      }
      return "over";
    });
    const { url, engine } = await start({ workflows: [flow], writeTimeoutMs: 100 });
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.write("POST /workflows/flood/run/stream?runId=flood HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await until(async () => (await engine.store.get("flood")) !== null);
    expect(await engine.result("flood")).toBe("over");
    socket.on("error", () => {});
    socket.resume();
    await closed;
  });
});

/** What the server says to bytes as they are. */
function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    const done = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("\r\n\r\n")) setTimeout(done, 10);
    });
    socket.on("error", done);
    socket.on("close", done);
    socket.write(bytes);
  });
}
