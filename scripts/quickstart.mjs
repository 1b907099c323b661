// Compiles the example shop, shows what became of each tool, and runs its agent.
//   npm run quickstart                                       without a network and without a key
//   npm run quickstart -- anthropic/claude-sonnet-5-5        with a real model
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";

const OFFLINE = "test/auto";
const QUESTION = "How is the shop today? Check the stock, the parcels and the warehouse.";
const model = process.argv[2] ?? OFFLINE;
const example = join(dirname(fileURLToPath(import.meta.url)), "../examples/quickstart");
const callsignc = join(example, "../../packages/compiler/bin/callsignc.js");

const strong = (text) => styleText("bold", text, { stream: process.stdout });
const quiet = (text) => styleText("dim", text, { stream: process.stdout });
const CODEC_CLASSES = { date: "Date", url: "URL", bigint: "bigint", map: "Map", set: "Set", bytes: "Uint8Array" };

console.log(strong("1. Compile the functions in examples/quickstart/src\n"));
try {
  execFileSync(process.execPath, [callsignc, "build"], { cwd: example, stdio: "inherit" });
} catch {
  // The compiler has printed what is wrong and where.
  process.exit(1);
}

console.log(strong("\n2. What became of them\n"));
const manifest = JSON.parse(readFileSync(join(example, "src/callsign.manifest.json"), "utf8"));
for (const tool of manifest.tools) {
  const { properties = {}, required = [] } = tool.parameters;
  const parameters = Object.entries(properties).map(([name, schema]) => {
    const fallback = schema.default === undefined ? "" : ` = ${JSON.stringify(schema.default)}`;
    return `${name}${required.includes(name) ? "" : "?"}: ${typeWord(schema)}${fallback}`;
  });
  console.log(`  ${strong(tool.name)}(${parameters.join(", ")})`);
  console.log(quiet(`    ${tool.summary ?? "no description"}  [${tool.module}, ${tool.export}]`));
}
for (const { name, schema, module } of manifest.schemas) {
  console.log(`  ${strong(name)} ${typeWord(schema)}`);
  console.log(quiet(`    structured output, checked and typed  [${module}]`));
}

console.log(strong(`\n3. Run the agent with ${model}\n`));
if (model === OFFLINE) {
  console.log("  test/auto is no language model: it works offline, calls every tool once with arguments that it makes");
  console.log("  from the tool's schema, and understands nothing. What the tools do with them is real.\n");
}
const { shopAssistant, dayReporter } = await import("../examples/quickstart/src/assistant.ts");
let answering = false;
let failed = false;
for await (const event of shopAssistant(model).stream(QUESTION)) {
  if (event.type === "token") {
    process.stdout.write(answering ? event.text : `\n  ${strong("answer")}\n${event.text}`);
    answering = true;
    continue;
  }
  if (answering) process.stdout.write("\n");
  answering = false;
  show(event);
}
if (!failed) {
  console.log(`\n  ${strong("the same model, asked for a DayReport")}`);
  console.log(await dayReporter(model)("Report on a quiet Tuesday."));
}

if (model === OFFLINE) {
  console.log(strong("\n4. Use a real model: change one line\n"));
  console.log('  - shopAssistant("test/auto")');
  console.log('  + shopAssistant("anthropic/claude-sonnet-5-5")    // or openai/…, google/…, ollama/…');
  console.log(quiet("\n  or run: npm run quickstart -- anthropic/claude-sonnet-5-5"));
}
process.exitCode = failed ? 1 : 0;

function show(event) {
  switch (event.type) {
    case "tool_start":
      console.log(`  → ${strong(event.name)} ${short(event.args)}`);
      break;
    case "tool_progress":
      console.log(quiet(`    … ${short(event.value)}`));
      break;
    case "tool_done":
      console.log(`  ${event.status === "success" ? "←" : "✗"} ${event.name} ${short(event.result)}`);
      break;
    case "retry":
      console.log(quiet(`    asking again: ${event.reason}`));
      break;
    case "done":
      console.log(
        quiet(`\n  ${event.toolCallsExecuted} tool calls, stop: ${event.stop}, usage: ${short(event.usage)}`),
      );
      break;
    case "error":
      failed = true;
      console.error(`  ${event.code}: ${event.message}`);
  }
}

function short(value) {
  const text = JSON.stringify(value);
  return text.length > 110 ? `${text.slice(0, 110)}…` : text;
}

/** A schema in the words of TypeScript, roughly. */
function typeWord(schema) {
  if (schema["x-codec"] !== undefined) return CODEC_CLASSES[schema["x-codec"]];
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeWord).join(" | ");
  if (schema.type === "array") {
    const element = schema.items ? typeWord(schema.items) : "unknown";
    return element.includes(" | ") ? `(${element})[]` : `${element}[]`;
  }
  if (schema.type === "object" && schema.properties !== undefined)
    return `{ ${Object.keys(schema.properties).join(", ")} }`;
  return [schema.type ?? "unknown"].flat().join(" | ");
}
