// Writes docs/types.md from the fixtures; with --check only says whether it is current.
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const page = join(root, "docs/types.md");
const read = (name, file) => readFileSync(join(root, "fixtures", name, file), "utf8");

/** The named rewrites: where a schema takes other values than the checker, and the fixture or test that shows it. */
const rewrites = [
  ["A property that may be undefined may be absent", "optional-and-nullable-members"],
  ["Brands are erased", "brands"],
  ["Enum members are their values", "enum-of-strings"],
  ["Types with a codec are taken in their encoded form", "codec-in-containers"],
  ["Constraint tags and constraint types apply", "constraint-types"],
  ["A number inside a template literal is written in plain decimals", "template-literals"],
  ["Numeric keys are numbers in plain decimals", "number-index-signature"],
  ["`object` and `{}` mean a JSON object, no array and no string", "empty-object-in-every-position"],
  ["An index signature means a JSON object", "record-in-every-position"],
  ["In a union no branch takes an excess key", "union-discriminated"],
];

function row(folder) {
  const name = dirname(folder);
  const source = read(name, "tools.ts");
  const type = /^ {2}parameter: (.*),$/m.exec(source)?.[1] ?? "";
  const prelude = source.slice(0, source.indexOf("/**")).trim();
  const [tool] = JSON.parse(read(name, "manifest.json")).tools;
  const { $ref, ...rest } = tool.parameters.properties.parameter;
  const schema = $ref === undefined ? rest : { ...tool.parameters.$defs[$ref.split("/").at(-1)], ...rest };
  const declared = /^(?:interface|type|enum|class)/.test(prelude) ? prelude.replace(/\s*\n\s*/g, " ") : "";
  return `| ${code(declared === "" ? type : declared)} | ${code(JSON.stringify(schema))} | ${link(name)} |`;
}

function code(text) {
  const escaped = text.replaceAll("|", "\\|");
  return escaped.includes("`") ? `\`\` ${escaped} \`\`` : `\`${escaped}\``;
}

function link(name) {
  if (!existsSync(join(root, "fixtures", name))) throw new Error(`there is no fixture ${name}`);
  return `[${name}](../fixtures/${name})`;
}

const folders = globSync("*-in-every-position/manifest.json", { cwd: join(root, "fixtures") }).sort();
const text = `# From TypeScript to JSON Schema

Made from the fixtures by \`node scripts/docs-types.mjs\`. Each row's fixture shows the type as a parameter, a member, an
element, a tuple slot, a union branch, a dictionary's value and a return type. \`x-codec\` names the codec that turns the
JSON value into what the function declares.

| TypeScript | JSON Schema | Fixture |
| --- | --- | --- |
${folders.map(row).join("\n")}

## Where a schema differs from the checker

A JSON value fits the schema if and only if TypeScript would let it be assigned to the type, after these rewrites and no
others. \`packages/compiler/test/soundness\` holds thousands of generated pairs of types and values against the checker.

| Rewrite | Shown by |
| --- | --- |
${rewrites.map(([rewrite, name]) => `| ${rewrite} | ${link(name)} |`).join("\n")}
`;

if (process.argv.includes("--check")) {
  if (!existsSync(page) || readFileSync(page, "utf8") !== text) {
    console.error("docs/types.md is not current; run: node scripts/docs-types.mjs");
    process.exitCode = 1;
  }
} else {
  writeFileSync(page, text);
}
