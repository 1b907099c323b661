// Writes docs/provider-matrix.md from what lowering does with the constructs of the tests; with --check only says whether
// it is current. Needs the built runtime.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const page = join(root, "docs/provider-matrix.md");
const { lowerTool, targets } = await import(join(root, "packages/runtime/dist/providers/index.js"));
const { closed, constructs } = await import(join(root, "packages/runtime/test/providers/constructs.ts"));
const names = Object.keys(targets);

const toolOf = (parameters) => ({ name: "tool", module: "tool.ts", export: "tool", parameters, call: [] });
const code = (value) => `\`${JSON.stringify(value).replaceAll("|", "\\|")}\``;

/** What becomes of one construct on one wire. */
function cell({ parameters, args }, target) {
  const lowered = lowerTool(toolOf(parameters), target);
  const wire = lowered.encode(args);
  const form = isDeepStrictEqual(wire, args) ? "as it is" : code(wire);
  const described = [...new Set(lowered.dropped.map(({ keyword }) => keyword))];
  const falls = target.endsWith("-strict") && !lowered.strict ? ", not strict" : "";
  return `${form}${falls}${described.length === 0 ? "" : `; described: ${described.join(", ")}`}`;
}

const keywords = [
  ["minimum", { type: "number", minimum: 1 }],
  ["exclusiveMinimum", { type: "number", exclusiveMinimum: 1 }],
  ["multipleOf", { type: "integer", multipleOf: 5 }],
  ["minLength", { type: "string", minLength: 2 }],
  ["pattern", { type: "string", pattern: "^[a-z]+$" }],
  ["pattern", { type: "string", pattern: "^(?!no)" }, "with a look-ahead"],
  ["format", { type: "string", format: "date-time" }, "date-time"],
  ["format", { type: "string", format: "uri" }, "uri"],
  ["minItems", { type: "array", items: { type: "string" }, minItems: 1 }],
  ["maxItems", { type: "array", items: { type: "string" }, maxItems: 3 }],
  ["uniqueItems", { type: "array", items: { type: "string" }, uniqueItems: true }],
  ["enum", { type: "string", enum: ["a", "b"] }],
  ["const", { const: "a" }],
  ["default", { type: "string", default: "x" }],
  ["examples", { type: "string", examples: ["x"] }],
  ["deprecated", { type: "string", deprecated: true }],
];

function sent([keyword, schema], target) {
  const { dropped, schema: wire } = lowerTool(toolOf(closed({ it: schema })), target);
  if (dropped.some((drop) => drop.keyword === keyword)) return "described";
  const property = wire.properties.it;
  return keyword in property ? "sent" : keyword === "const" && "enum" in property ? "as enum" : "left out";
}

const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const text = `# What each provider gets

Made from the constructs of \`packages/runtime/test/providers/constructs.ts\` by \`node scripts/docs-providers.mjs\`. The same
constructs are tested on every provider from the model's reply to what the function receives: always the value in the first
column, whatever form it has on the wire.

${table(
  ["construct", "value", ...names],
  constructs.map((construct) => [construct.name, code(construct.args), ...names.map((name) => cell(construct, name))]),
)}

*described*: the wire has no such keyword; the description says it, and the arguments are checked for it all the same. *not
strict*: the provider's strict form cannot say it, so that this tool is sent in the plain form. On \`openai-strict\` an absent
property travels as null.

## Keywords

${table(
  ["keyword", ...names],
  keywords.map((entry) => [
    `\`${entry[0]}\`${entry[2] === undefined ? "" : ` ${entry[2]}`}`,
    ...names.map((name) => sent(entry, name)),
  ]),
)}

Every keyword is checked on the way back, sent or not.
`;

if (process.argv.includes("--check")) {
  if (!existsSync(page) || readFileSync(page, "utf8") !== text) {
    console.error("docs/provider-matrix.md is not current; run: node scripts/docs-providers.mjs");
    process.exitCode = 1;
  }
} else {
  writeFileSync(page, text);
}
