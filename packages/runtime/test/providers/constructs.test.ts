import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agent, Tool } from "../../src/index.js";
import type { Json, JsonSchema } from "../../src/manifest/json-schema.js";
import type { ManifestTool } from "../../src/manifest/manifest.js";
import { providers } from "../../src/providers/index.js";
import { type FakeProvider, startFakeProvider } from "../../src/testing/index.js";
import { closed, constructs } from "./constructs.js";

const models = [
  ["anthropic", "claude-opus-5-5"],
  ["anthropic", "claude-3-5-haiku-latest"],
  ["openai", "gpt-6-luna"],
  ["openai-chat", "some-model"],
  ["google", "gemini-3.8-flash"],
  ["google", "gemini-2.0-flash"],
  ["ollama", "qwen3"],
] as const;

describe.each(models)("%s with %s", (name, model) => {
  let fake: FakeProvider;
  beforeAll(async () => {
    fake = await startFakeProvider();
  });
  afterAll(() => fake.close());

  it.each(constructs)("gives the function $name as it declares it", async ({ parameters, args }) => {
    const received: unknown[] = [];
    const tool = new Tool({
      name: "take",
      description: "Takes it.",
      parameters,
      execute: (given) => void received.push(given),
    });
    const [lowered] = providers[name].lowerTools([tool.manifestTool], { model });
    fake.script(
      { toolCalls: [{ name: "take", arguments: lowered!.encode(args) as { [key: string]: Json } }] },
      { text: "done" },
    );
    const assistant = agent("Be brief.", {
      model: `${name}/${model}`,
      apiKey: "test",
      baseUrl: fake.url,
      tools: [tool as Tool<object>],
    });
    expect(await assistant("go")).toBe("done");
    expect(fake.refusals).toEqual([]);
    expect(received).toEqual([args]);
  });

  it("takes every tool that the project has a schema of, in requests of any size", async () => {
    const provider = await providers[name].open({ apiKey: "test", baseUrl: fake.url });
    const tools = [
      ...corpusTools(),
      ...fixtureTools(),
      ...constructs.map(({ parameters }, index) => toolOf(`construct_${index}`, parameters)),
    ];
    for (let start = 0; start < tools.length; start += 25) {
      fake.script({ text: "ok" });
      const lowered = providers[name].lowerTools(tools.slice(start, start + 25), { model });
      const events = provider.stream({
        model,
        tools: lowered,
        messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      });
      for await (const event of events) expect(["text", "reply"]).toContain(event.type);
    }
    expect(fake.refusals).toEqual([]);
  });
});

function toolOf(name: string, parameters: JsonSchema): ManifestTool {
  return { name, module: "t.ts", export: name, description: "Does it.", parameters, call: [{ from: "arguments" }] };
}

/** The schemas that the corpus calls right, each as a tool's only parameter. */
function corpusTools(): ManifestTool[] {
  const file = new URL("../../../../../shared/corpus/constructs.ts", import.meta.url);
  if (!existsSync(file)) return [];
  const found = readFileSync(file, "utf8").matchAll(/^\s*\/\/ @(?:right|either)(?:\[[^\]]*\])?\s+(\{.*\})\s*$/gm);
  return [...found].map(([, json], index) => {
    const { $defs, ...schema } = JSON.parse(json!) as JsonSchema;
    return toolOf(`corpus_${index}`, { ...closed({ it: schema }), ...($defs === undefined ? {} : { $defs }) });
  });
}

/** The tools of all expected manifests of the project's own fixtures. */
function fixtureTools(): ManifestTool[] {
  const folder = new URL("../../../../fixtures/", import.meta.url);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("manifest.json"))
    .flatMap(
      (file) => (JSON.parse(readFileSync(new URL(file, folder), "utf8")) as { tools?: ManifestTool[] }).tools ?? [],
    )
    .map((tool, index) => ({ ...tool, name: `fixture_${index}` }));
}
