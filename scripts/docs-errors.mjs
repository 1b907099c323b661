// Writes docs/errors.md from the reports of the fixtures; with --check only says whether it is current.
// Every code has a fixture (a test of the fixtures says so), so every code is on the page.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const page = join(root, "docs/errors.md");

/** The shortest example of each code. */
const examples = new Map();
for (const path of globSync("fixtures/*/errors.txt", { cwd: root }).sort()) {
  const text = readFileSync(join(root, path), "utf8");
  for (const block of text.split(/^(?=(?:\S.*?:\d+:\d+ - )?(?:error|warning) [a-z-]+: )/m)) {
    const match = /^(?:\S.*?:\d+:\d+ - )?(error|warning) ([a-z-]+): /.exec(block);
    if (match === null) continue;
    const [, severity, code] = match;
    const known = examples.get(code);
    const example = block.replace(/\n\n\d+ (?:errors?|warnings?)[\s\S]*$/, "").trimEnd();
    const severities = new Set([...(known?.severities ?? []), severity]);
    const kept =
      known !== undefined && known.example.length <= example.length
        ? known
        : { example, fixture: basename(dirname(path)) };
    examples.set(code, { ...kept, severities });
  }
}

const sections = [...examples]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(
    ([code, { example, fixture, severities }]) =>
      `## ${code}\n\n${[...severities].sort().join(" or ")} · [fixture](../fixtures/${fixture}/tools.ts)\n\n\`\`\`text\n${example}\n\`\`\`\n`,
  );
const text = `# Errors and warnings of the compiler

One example of each code, taken from the fixtures by \`scripts/docs-errors.mjs\`. Codes are stable; the texts may get
better. An error refuses the whole build and nothing is written; all errors of a build are reported at once. A missing
description is an error with \`--strict\`.

${sections.join("\n")}`;

if (!process.argv.includes("--check")) writeFileSync(page, text);
else if (readFileSync(page, "utf8") !== text) {
  console.error("docs/errors.md is not current; run node scripts/docs-errors.mjs");
  process.exitCode = 1;
}
