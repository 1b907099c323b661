// Cases of the agent loop that live beside the repository: real wire bytes against real tools, compiled from source.
// Where they are not, the behaviour tests of the runtime stand alone.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { agent, bindTools, type RunEvent } from "@callsign/runtime";
import { describe, expect, onTestFinished, test } from "vitest";
import { compileProject } from "../src/compile-project.js";

const folder = fileURLToPath(new URL("../../../../shared/cases", import.meta.url));

interface Entry {
  readonly chunks?: readonly { readonly type?: string }[];
  readonly bytesHex?: readonly string[];
  readonly end?: string;
  readonly onlyIf?: string;
  readonly repeat?: string;
}

interface Result {
  readonly id?: string;
  readonly isError?: boolean;
  readonly contains?: string;
  readonly lacks?: readonly string[];
  readonly mentions?: readonly string[];
  readonly either?: readonly Result[];
}

interface Expected {
  readonly toolRuns?: readonly { readonly name: string; readonly args: object }[];
  readonly toolRunsAtMost?: number;
  readonly requestsAtMost?: number;
  readonly terminals?: number;
  readonly requests?: Readonly<
    Record<
      string,
      {
        readonly toolCalls?: readonly { readonly id: string; readonly name: string }[];
        readonly toolCallArgs?: unknown;
        readonly results?: readonly Result[];
        readonly sameMessage?: boolean;
      }
    >
  >;
  readonly events?: readonly {
    readonly type: string;
    readonly joined?: string;
    readonly times?: number;
    readonly name?: string;
  }[];
  readonly neverIn?: Readonly<Record<string, readonly string[]>>;
  readonly final?: { readonly text?: string };
  readonly usage?: unknown;
  readonly usageByTurn?: readonly { readonly input?: number; readonly output?: number; readonly cacheRead?: number }[];
  readonly either?: readonly (Expected & { readonly name: string })[];
}

interface Case {
  readonly id: string;
  readonly fault: string;
  readonly provider: "openai-chat" | "anthropic" | "gemini" | "ollama";
  readonly files: Readonly<Record<string, string>>;
  readonly script: readonly Entry[];
  readonly run: { readonly maxToolCalls?: number; readonly workflow?: boolean } | null;
  readonly expect: Expected;
  readonly variants?: readonly Partial<Case>[];
}

const cases = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => /^RC-B\d+\.json$/.test(name))
      .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Case)
      // Durable: the runtime's tests of approvals in workflows do what it asks for.
      .filter(({ run }) => run?.workflow !== true)
  : [];

const all = cases.flatMap((base) => [
  { title: base.id, ...base },
  ...(base.variants ?? []).map((variant, index) => ({
    ...base,
    ...variant,
    title: `${base.id} variant ${index + 1}`,
    // What a variant says of usage stands for all of it; its stream need not show what the base shows.
    expect: {
      ...base.expect,
      ...(variant.expect === undefined ? {} : { usage: undefined, usageByTurn: undefined, events: undefined }),
      ...variant.expect,
      requests: { ...base.expect.requests, ...variant.expect?.requests },
    } as Expected,
  })),
]);

/** A body as the provider's wire has it. */
function bodyOf({ chunks = [], end }: Entry, provider: Case["provider"]): string {
  const lines = chunks.map((chunk) => JSON.stringify(chunk));
  if (provider === "ollama") return lines.map((line) => `${line}\n`).join("");
  if (provider === "anthropic") {
    return chunks.map((chunk, index) => `event: ${chunk.type}\ndata: ${lines[index]}\n\n`).join("");
  }
  const done = provider === "openai-chat" && end === undefined ? "data: [DONE]\n\n" : "";
  return lines.map((line) => `data: ${line}\n\n`).join("") + done;
}

interface Body {
  readonly tools?: unknown;
  readonly tool_choice?: unknown;
  readonly messages?: readonly {
    readonly role: string;
    readonly content?: unknown;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
    readonly tool_call_id?: string;
  }[];
  readonly contents?: readonly {
    readonly role: string;
    readonly parts: readonly Record<string, { readonly name: string; readonly args: object }>[];
  }[];
}

async function serve({ script, provider }: Pick<Case, "script" | "provider">) {
  const bodies: Body[] = [];
  const entries = [...script];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    bodies.push(body);
    const forbidsTools = body.tools === undefined || body.tool_choice === "none";
    while (entries[0]?.onlyIf !== undefined && !forbidsTools) entries.shift();
    const entry = entries[0]?.repeat === undefined ? entries.shift() : entries[0];
    if (entry === undefined) {
      response.writeHead(400).end('{"error":{"message":"the script is over"}}');
      return;
    }
    await write(response, entry);
  });
  async function write(response: ServerResponse, entry: Entry): Promise<void> {
    response.writeHead(200, { "content-type": provider === "ollama" ? "application/x-ndjson" : "text/event-stream" });
    for (const hex of entry.bytesHex ?? []) {
      response.write(Buffer.from(hex, "hex"));
      await sleep(5);
    }
    if (entry.bytesHex === undefined) response.write(bodyOf(entry, provider));
    if (entry.end === "close the socket") response.destroy();
    else response.end();
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** The case's functions, compiled and bound; each run of one is noted. */
async function compileTools(files: Case["files"]) {
  const cwd = mkdtempSync(join(tmpdir(), "callsign-case-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "tsconfig.json"), '{"compilerOptions":{"strict":true,"target":"ES2022"},"include":["src"]}');
  writeFileSync(join(cwd, "package.json"), '{"type":"module"}');
  const text = files["src/tools.ts"] as string;
  writeFileSync(join(cwd, "src/tools.ts"), text.replaceAll(/\/\*\* (.*?) \*\//g, "/**\n * $1\n * @tool\n */"));
  const result = compileProject({ cwd });
  expect(result.problems.filter(({ severity }) => severity === "error")).toEqual([]);
  const module = (await import(/* @vite-ignore */ join(cwd, "src/tools.ts"))) as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  const runs: { name: string; args: object }[] = [];
  const manifest = result.manifest as NonNullable<typeof result.manifest>;
  const watched = Object.fromEntries(
    manifest.tools.map((tool) => [
      tool.name,
      (...args: unknown[]) => {
        const named = tool.call.map((slot, index) => (slot.from === "property" ? [slot.name, args[index]] : ["", 0]));
        runs.push({ name: tool.name, args: Object.fromEntries(named.filter(([, value]) => value !== undefined)) });
        return (module[tool.export] as (...args: unknown[]) => unknown)(...args);
      },
    ]),
  );
  return { tools: Object.values(bindTools(manifest, watched)), runs };
}

/** What a request says of the calls before it and of their results, whatever the wire. */
function historyOf(body: Body): {
  readonly calls: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[];
  readonly results: readonly {
    readonly id?: string;
    readonly isError: boolean;
    readonly text: string;
    readonly message: number;
  }[];
} {
  const calls: { id?: string; name: string; args: unknown }[] = [];
  const results: { id?: string; isError: boolean; text: string; message: number }[] = [];
  for (const [index, message] of (body.messages ?? []).entries()) {
    for (const { id, function: called } of message.tool_calls ?? []) {
      calls.push({
        id,
        name: called.name,
        args: typeof called.arguments === "string" ? JSON.parse(called.arguments) : called.arguments,
      });
    }
    if (message.role === "tool") {
      const text = String(message.content);
      results.push({
        id: message.tool_call_id as string,
        isError: /^error|^not run|do not fit|no tool named|cannot|JSON/i.test(text),
        text,
        message: 0,
      });
    }
    for (const block of Array.isArray(message.content) ? message.content : []) {
      if (block.type === "tool_use") calls.push({ id: block.id, name: block.name, args: block.input });
      if (block.type !== "tool_result") continue;
      const text = typeof block.content === "string" ? block.content : JSON.stringify(block.content);
      results.push({ id: block.tool_use_id, isError: block.is_error === true, text, message: index });
    }
  }
  return { calls, results };
}

function checkResult(found: ReturnType<typeof historyOf>["results"][number] | undefined, wanted: Result): void {
  expect(found?.id).toBe(wanted.id);
  if (wanted.isError !== undefined) expect(found?.isError, found?.text).toBe(wanted.isError);
  if (wanted.contains !== undefined) expect(found?.text).toContain(wanted.contains);
  for (const word of wanted.lacks ?? []) expect(found?.text).not.toContain(word);
}

const EVENT_NAMES: Readonly<Record<string, RunEvent["type"]>> = { text_delta: "token", reasoning_delta: "reasoning" };

describe.skipIf(all.length === 0)("a case of the agent loop", () => {
  test.each(all)("$title holds: $fault", async (given) => {
    const { provider, run } = given;
    const { tools, runs } = await compileTools(given.files);
    const { bodies, url } = await serve(given);
    const name = { "openai-chat": "openai-chat/m", anthropic: "anthropic/m", gemini: "google/m", ollama: "ollama/m" }[
      provider
    ];
    const stream = agent("x", { model: name, apiKey: "test", baseUrl: url, tools, maxRetries: 0, ...run }).stream("go");
    const events: RunEvent[] = [];
    for await (const event of stream) events.push(event);
    const wanted: Expected = { ...given.expect, ...given.expect.either?.[0] };
    const done = events.at(-1);
    expect(events.filter(({ type }) => type === "done" || type === "error")).toHaveLength(1);
    if (wanted.final?.text !== undefined) expect(done).toMatchObject({ type: "done", content: wanted.final.text });
    if (wanted.toolRuns !== undefined) {
      expect(runs).toHaveLength(wanted.toolRuns.length);
      expect(runs).toEqual(expect.arrayContaining([...wanted.toolRuns]));
    }
    if (wanted.toolRunsAtMost !== undefined) expect(runs.length).toBeLessThanOrEqual(wanted.toolRunsAtMost);
    if (wanted.requestsAtMost !== undefined) {
      expect(bodies.length).toBeLessThanOrEqual(wanted.requestsAtMost);
      expect(done).toMatchObject({ stop: "limit" });
    }
    for (const [number, about] of Object.entries(wanted.requests ?? {})) {
      const { calls, results } = historyOf(bodies[Number(number) - 1] as Body);
      if (about.toolCalls !== undefined) expect(calls).toMatchObject(about.toolCalls);
      if (Array.isArray(about.toolCallArgs)) expect(calls.map(({ args }) => args)).toEqual(about.toolCallArgs);
      for (const { args } of calls) expect(args).toEqual(expect.any(Object));
      if (about.results === undefined) continue;
      // A case names one id; where the variant's wire has another, the order says which is meant.
      expect(results).toHaveLength(about.results.length);
      for (const [index, result] of about.results.entries()) {
        const found = results[index];
        const id = result.id === undefined || found?.id?.slice(0, 4) !== result.id.slice(0, 4) ? found?.id : result.id;
        const allowed = (result.either ?? [result]).map((one) => ({ ...result, ...one, id: id as string }));
        checkResult(found, allowed.find(({ isError }) => isError === found?.isError) ?? (allowed[0] as Result));
      }
      if (about.sameMessage === true && provider === "anthropic") {
        expect(new Set(results.map(({ message }) => message)).size).toBe(1);
      }
    }
    let from = 0;
    for (const { type, joined, times, name: called } of wanted.events ?? []) {
      const mine = EVENT_NAMES[type] ?? type;
      const same = events.filter((event) => event.type === mine);
      if (times !== undefined) expect(same).toHaveLength(times);
      if (joined !== undefined) {
        // The text of the last request follows, where the case leaves it out.
        const text = same.map((event) => (event as { text: string }).text).join("");
        expect([joined, `${joined}${wanted.final?.text}`]).toContain(text);
      }
      const at = events.findIndex(
        (event, index) =>
          index >= from && event.type === mine && (called === undefined || (event as { name: string }).name === called),
      );
      expect(at, `${mine} after event ${from}`).toBeGreaterThanOrEqual(0);
      if (joined === undefined) from = at + 1;
    }
    for (const [type, words] of Object.entries(wanted.neverIn ?? {})) {
      const text = JSON.stringify(events.filter((event) => event.type === EVENT_NAMES[type]));
      for (const word of words) expect(text).not.toContain(word);
    }
    checkUsage(events, wanted);
    if (given.id === "RC-B03") {
      const [model, user] = (bodies[1]?.contents ?? []).slice(-2);
      expect(model?.parts.map((part) => [part.functionCall?.args, part.thoughtSignature])).toEqual([
        [{ city: "Oslo" }, "c2lnLTE="],
        [{ city: "Rome" }, undefined],
      ]);
      expect(user?.parts.map((part) => JSON.stringify(part.functionResponse).includes("Oslo"))).toEqual([true, false]);
    }
    if (given.id === "RC-B04") {
      const assistant = bodies[1]?.messages?.find(({ role }) => role === "assistant")?.content as {
        type: string;
        signature?: string;
        data?: string;
      }[];
      expect(assistant[0]).toMatchObject({ type: "thinking", signature: "EqQBsig==" });
      if (given.title === "RC-B04") {
        expect(assistant.map(({ type }) => type)).toEqual(["thinking", "redacted_thinking", "tool_use"]);
        expect(assistant[1]).toMatchObject({ data: "b64-redacted" });
      }
    }
  });
});

function checkUsage(events: readonly RunEvent[], { usage, usageByTurn }: Expected): void {
  const turns = events.flatMap((event) => (event.type === "usage" ? [event.usage] : []));
  for (const [index, wanted] of (usageByTurn ?? []).entries()) {
    const cached = wanted.cacheRead ?? 0;
    expect(turns[index]?.outputTokens).toBe(wanted.output);
    // Ours counts cached tokens among those read.
    expect(turns[index]?.inputTokens).toBe((wanted.input ?? 0) + cached);
    if (cached > 0) expect(turns[index]?.cachedInputTokens).toBe(cached);
  }
  const total = events.findLast((event) => event.type === "done");
  if (typeof usage === "string") expect(turns[0]).toEqual({});
  const { input, output } = (typeof usage === "object" && usage !== null ? usage : {}) as {
    input?: number;
    output?: number;
  };
  if (output !== undefined) expect(total?.usage.outputTokens).toBe(output);
  if (input !== undefined) expect(total?.usage.inputTokens).toBe(input);
}
