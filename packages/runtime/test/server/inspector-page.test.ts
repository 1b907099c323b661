import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parallel, progress, type WorkflowContext, workflow } from "../../src/index.js";
import { createHandler, type HandlerOptions, serve } from "../../src/server/index.js";
import { makeFolder, openTestEngine } from "../durable/open-test-engine.js";
import { manifestOf, objectSchema, toolEntry } from "../manifest-fixture.js";

const echo = workflow("echo", async (ctx: WorkflowContext<unknown>) => ctx.input ?? null);

async function open(
  options: Omit<HandlerOptions, "engine"> = {},
): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [echo] });
  const handler = createHandler({ engine, ...options });
  return (path, init) => handler(new Request(`http://localhost${path}`, init));
}

describe("the inspector's page", () => {
  test("is one page and its own files, and lets a browser load nothing else", async () => {
    const get = await open();
    const page = await get("/");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ")).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]),
    );
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
    const html = await page.text();
    expect(html).not.toMatch(/<style|<script(?![^>]* src=)| style=| on\w+=|https?:/);
    const names = [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, name]) => name as string);
    expect(new Set(names)).toEqual(new Set(["inspector/app.js", "inspector/style.css", "inspector/icon.svg"]));
    for (const name of names) {
      const file = await get(`/${name}`);
      expect(file.status, name).toBe(200);
      expect(file.headers.get("content-security-policy")).toBe(policy);
      const etag = file.headers.get("etag") ?? "";
      expect((await get(`/${name}`, { headers: { "if-none-match": etag } })).status).toBe(304);
    }
    expect((await get("/inspector/nothing.js")).status).toBe(404);
    expect((await get("/inspector/__proto__")).status).toBe(404);
    expect((await get("/", { method: "POST" })).status).toBe(405);
  });

  test("is made of texts: its script writes no HTML, evaluates nothing and knows no other site", async () => {
    const get = await open();
    const script = await (await get("/inspector/app.js")).text();
    expect(script).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|https?:\/\//,
    );
    expect(script.length).toBeLessThan(80_000);
    expect(await (await get("/inspector/style.css")).text()).not.toMatch(/url\(|@import|https?:/);
  });

  test("is served without the token, which everything else asks for", async () => {
    const get = await open({ token: "s3cret" });
    for (const path of ["/", "/inspector/app.js"]) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(await answer.text()).not.toContain("s3cret");
    }
    for (const path of ["/runs", "/tools", "/workflows", "/openapi.json"]) expect((await get(path)).status).toBe(401);
  });

  test("is not there when it is turned off, nor for names that are not this machine's", async () => {
    const off = await open({ inspector: false });
    expect([(await off("/")).status, (await off("/inspector/app.js")).status]).toEqual([404, 404]);
    const get = await open();
    expect((await get("/", { headers: { host: "evil.example" } })).status).toBe(403);
  });

  test("is found with and without the last slash where it is mounted", async () => {
    const get = await open({ basePath: "/tools/callsign" });
    const bare = await get("/tools/callsign");
    expect([bare.status, bare.headers.get("location")]).toEqual([308, "./callsign/"]);
    expect((await get("/tools/callsign/")).status).toBe(200);
    expect((await get("/tools/callsign/inspector/app.js")).status).toBe(200);
    expect((await get("/")).status).toBe(404);
  });
});

describe("the tools", () => {
  const add = toolEntry({
    parameters: objectSchema({ a: { type: "number" }, b: { type: "string", minLength: 2 } }, ["a"]),
  });

  test("are listed, and shown as each provider gets them", async () => {
    const get = await open({ manifest: manifestOf(add) });
    const { tools, targets } = (await (await get("/tools")).json()) as { tools: object[]; targets: string[] };
    expect(tools).toEqual([add]);
    expect(await (await get("/tools/add")).json()).toEqual(add);
    for (const target of targets) {
      expect(await (await get(`/tools/add?target=${target}`)).json()).toMatchObject({ name: "add", target });
    }
    expect(await (await get("/tools/add?target=openai-strict")).json()).toMatchObject({
      used: "openai-strict",
      strict: true,
      wire: { type: "function", name: "add", strict: true },
      dropped: [{ pointer: "/properties/b", keyword: "minLength", value: 2 }],
    });
    expect((await get("/tools/add?target=constructor")).status).toBe(400);
    expect(await (await get("/tools/sub")).json()).toMatchObject({ error: { code: "tool-unknown" } });
    expect((await get("/tools", { method: "POST" })).status).toBe(405);
    expect((await get("/tools/add/more")).status).toBe(404);
  });

  test("are those of the engine's manifest where the server is given none", async () => {
    const path = join(await makeFolder(), "runs.db");
    const engine = await openTestEngine(path, { workflows: [echo], manifest: manifestOf(add) });
    const handler = createHandler({ engine });
    const answer = await handler(new Request("http://localhost/tools"));
    expect(((await answer.json()) as { tools: object[] }).tools).toEqual([add]);
    const { paths } = (await (await handler(new Request("http://localhost/openapi.json"))).json()) as { paths: object };
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(["/tools", "/tools/{name}"]));
  });
});

describe("the streams of a run", () => {
  test("say when and whose, where that is asked for", async () => {
    const get = await open();
    const post = { method: "POST", body: "1", headers: { "content-type": "application/json" } };
    const text = await (await get("/workflows/echo/run/stream?detail=full&runId=one", post)).text();
    const frames = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data as string) as object);
    const time = expect.any(Number);
    expect(frames).toEqual([
      { type: "WORKFLOW_STARTED", value: 1, time },
      { type: "WORKFLOW_COMPLETED", value: 1, time },
    ]);
    expect(await (await get("/runs/one/stream?detail=full")).text()).toBe(text);
    expect((await get("/runs/one/stream?detail=some")).status).toBe(400);
  });

  test("are over for a client that has seen the end", async () => {
    const get = await open();
    await get("/workflows/echo/run?runId=one", { method: "POST" });
    const again = await get("/runs/one/stream", { headers: { "last-event-id": "2" } });
    expect([again.status, await again.text()]).toEqual([204, ""]);
    const rest = await get("/runs/one/stream", { headers: { "last-event-id": "1" } });
    expect(await rest.text()).toContain("WORKFLOW_COMPLETED");
  });

  test("say of each branch's agent which one speaks, also where tokens are put together", async () => {
    const gate = Promise.withResolvers<void>();
    const both = workflow("both", async () => {
      const speak = async (text: string): Promise<void> => {
        progress({ type: "token", text });
        await gate.promise;
        progress({ type: "token", text });
      };
      await parallel([() => speak("a"), () => speak("b")]);
    });
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [both] });
    const handler = createHandler({ engine });
    setTimeout(gate.resolve, 20);
    const answer = await handler(
      new Request("http://localhost/workflows/both/run/stream?detail=full&batch=5000", { method: "POST" }),
    );
    const frames = [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data as string));
    const said = new Map<string, string>();
    for (const { type, taskId, value } of frames) {
      if (type === "TASK_PROGRESS") said.set(taskId, `${said.get(taskId) ?? ""}${value.token}`);
    }
    expect(Object.fromEntries(said)).toEqual({ "parallel.0": "aa", "parallel.1": "bb" });
  });

  test("are let go when nobody reads them any more", async () => {
    const held = workflow("held", () => new Promise<void>(() => {}));
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [held, echo] });
    const handler = createHandler({ engine, maxWaiting: 1 });
    const run = (path: string) => handler(new Request(`http://localhost/workflows/${path}`, { method: "POST" }));
    const stream = await run("held/run/stream");
    expect((await run("echo/run")).status).toBe(503);
    await stream.body?.cancel();
    expect((await run("echo/run")).status).toBe(200);
  });

  test("name runs by any id, as a header can hold it", async () => {
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [echo] });
    const server = await serve({ engine, port: 0 });
    onTestFinished(() => server.close());
    for (const runId of ["plain-1", "größe 100%", "日本\u202e"]) {
      const address = `${server.url}/workflows/echo/run/async?runId=${encodeURIComponent(runId)}`;
      const answer = await fetch(address, { method: "POST" });
      expect([answer.status, decodeURIComponent(answer.headers.get("x-run-id") ?? "")]).toEqual([202, runId]);
    }
  });
});
