import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeFolder, until } from "../durable/open-test-engine.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const bin = (name: string): string => join(here, "../../../../node_modules/.bin", name);
const docs = readFileSync(join(here, "../../../../docs/server.md"), "utf8");

/** Every server of the documentation, and what runs it. */
const mounts: readonly (readonly [name: string, command: readonly [string, ...string[]]])[] = [
  ["node:http", [process.execPath]],
  ["Express", [process.execPath]],
  ["Hono", [process.execPath]],
  ["Bun", [bin("bun")]],
  ["Deno", [bin("deno"), "run", "-A"]],
];

test("every server of the documentation is run", () => {
  const part = docs.slice(docs.indexOf("## In other servers"), docs.indexOf("## Safety"));
  expect([...part.matchAll(/^### (.+)$/gm)].map(([, name]) => name)).toEqual(mounts.map(([name]) => name));
});

describe.each(mounts)("mounted as the documentation says under %s", (name, [command, ...parameters]) => {
  const folder = join(here, ".mounts", `${name.replace(/\W/g, "-")}-${process.pid}`);
  let home: string;
  let url: string;
  let stop: () => Promise<unknown>;

  beforeAll(async () => {
    const section = docs.slice(docs.indexOf(`### ${name}\n`));
    const code = /^```js\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? "";
    const port = await freePort();
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "server.mjs"),
      code.replace("8000", String(port)).replace("./engine.js", "./engine.mjs"),
    );
    writeFileSync(
      join(folder, "engine.mjs"),
      `import { openMountEngine } from "../../mount-engine.mjs";\nexport const engine = await openMountEngine(${JSON.stringify(join(folder, "runs.db"))});\n`,
    );
    const child = spawn(command, [...parameters, "server.mjs"], {
      cwd: folder,
      stdio: ["ignore", "inherit", "inherit"],
    });
    const exited = once(child, "exit");
    stop = () => {
      child.kill("SIGKILL");
      return exited;
    };
    home = `http://127.0.0.1:${port}/`;
    url = `${home}callsign`;
    // As long as it takes; what does not start at all ends.
    while (child.exitCode === null && (await fetch(`${url}/health`).catch(() => undefined))?.status !== 200) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(child.exitCode).toBeNull();
  });

  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const post = (path: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });

  test("answers beside what is there, with the inspector", async () => {
    expect(await (await fetch(home)).text()).toBe("home");
    const answer = await post("workflows/echo/run", { text: "grüße" });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ state: "COMPLETED", result: { text: "grüße" } }),
    ]);
    expect((await post("workflows/echo/run", "x".repeat(2_000_000))).status).toBe(413);
    const page = await fetch(url);
    expect([page.status, page.url]).toEqual([200, `${url}/`]);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect((await fetch(`${url}/inspector/app.js`)).status).toBe(200);
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
  });

  test("streams each token as it comes", async () => {
    const gate = join(await makeFolder(), "gate");
    const response = await post("workflows/talk/run/stream", { gate });
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(piece, { stream: true });
      if (text.includes("first")) writeFileSync(gate, "");
    }
    expect([...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data as string) as object)).toEqual([
      { type: "TASK_PROGRESS", value: { token: "first" } },
      { type: "TASK_PROGRESS", value: { token: "second" } },
      { type: "WORKFLOW_COMPLETED", value: "over" },
    ]);
  });

  test("lets go of a client that leaves, and its run goes on", async () => {
    const gate = join(await makeFolder(), "gate");
    const readers = async (): Promise<number> =>
      ((await (await post("workflows/count_readers/run", null)).json()) as { result: number }).result;
    // The one that asks is a reader itself.
    await until(async () => (await readers()) === 1, "a server without readers");
    const leaving = new AbortController();
    const response = await post("workflows/talk/run/stream", { gate }, leaving.signal);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    expect(await readers()).toBe(2);
    leaving.abort();
    await until(async () => (await readers()) === 1, "the end of the reader");
    const run = `${url}/runs/${response.headers.get("x-run-id")}`;
    expect(await (await fetch(run)).json()).toMatchObject({ state: "RUNNING" });
    writeFileSync(gate, "");
    await until(async () => ((await (await fetch(run)).json()) as { result?: string }).result === "over");
  });
});

test("a body that something else has read is said to be so", async () => {
  const { createListener } = await import("../../dist/server/index.js");
  const { openMountEngine } = (await import("./mount-engine.mjs" as string)) as {
    openMountEngine(path: string): Promise<{ stop(): Promise<void> }>;
  };
  const engine = await openMountEngine(join(await makeFolder(), "runs.db"));
  const listener = createListener({ engine: engine as never });
  const server = createServer(async (request, response) => {
    for await (const _ of request) {
      // As a parser of bodies does.
    }
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/workflows/echo/run`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "1",
  });
  expect([answer.status, await answer.json()]).toEqual([
    500,
    { error: expect.objectContaining({ code: "body-was-read" }) },
  ]);
  server.close();
  await engine.stop();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
