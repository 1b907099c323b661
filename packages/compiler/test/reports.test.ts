import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { codeFrame } from "../src/errors/code-frame.js";
import type { Problem } from "../src/errors/problem.js";
import { formatProblems } from "../src/reports/format-problems.js";

const source = `import type { Done } from "./done.js"


/** Exports orders. @tool */
export function exportOrders(
  // what
  a: string,
  options: {
    since: Date
    onProgress: (done: number) => void
  },
) {}
`;
const location = { file: "src/tools/orders.ts", line: 10, column: 17, length: 22 };
const functionMember: Problem = {
  severity: "error",
  code: "function-member",
  message: "(done: number) => void is a function; a model cannot send one",
  hint: "remove it, or take it from a ToolContext parameter, which the runtime fills in and the schema leaves out",
  location,
  toolName: "exportOrders",
  typePath: "exportOrders(options.onProgress)",
  frame: codeFrame(source, location),
};
const projectWide: Problem = {
  severity: "warning",
  code: "no-tools",
  message: "no tools were found",
  hint: "mark one",
};

describe("the text form", () => {
  test("is place, frame with carets, path and hint", () => {
    expect(formatProblems([functionMember])).toBe(
      `src/tools/orders.ts:10:17 - error function-member: (done: number) => void is a function; a model cannot send one

   8 |   options: {
   9 |     since: Date
> 10 |     onProgress: (done: number) => void
     |                 ^^^^^^^^^^^^^^^^^^^^^^
  11 |   },

  in    exportOrders(options.onProgress)
  hint  remove it, or take it from a ToolContext parameter, which the runtime fills in and the schema leaves out
`,
    );
  });
  test("sets problems apart by an empty line, and needs no place", () => {
    expect(formatProblems([projectWide, projectWide])).toBe(
      "warning no-tools: no tools were found\n\n  hint  mark one\n\nwarning no-tools: no tools were found\n\n  hint  mark one\n",
    );
    expect(formatProblems([])).toBe("");
  });
  test("names the further places of a problem", () => {
    const notes = [
      { message: "Done is declared here", location: { file: "src/done.ts", line: 1, column: 1, length: 4 } },
    ];
    expect(formatProblems([{ ...functionMember, notes }])).toContain(
      "\n  note  src/done.ts:1:1 - Done is declared here\n  hint  ",
    );
  });
  test("is coloured only when asked, and says the same then", () => {
    const colored = formatProblems([functionMember], { color: true });
    expect(colored).toContain("\u001b[");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are what is removed
    expect(colored.replaceAll(/\u001b\[\d+m/g, "")).toBe(formatProblems([functionMember]));
  });
  test.each([
    ["tabs", "\t\tfoo: bar", 8, 3, "\t\t     ^^^"],
    ["wide characters", "const 名前 = bar", 12, 3, "             ^^^"],
    ["a place at the end of a line", "foo", 4, 1, "   ^"],
  ])("puts the carets right below %s", (_, line, column, length, carets) => {
    const place = { file: "a.ts", line: 1, column, length };
    const text = formatProblems([{ ...projectWide, location: place, frame: codeFrame(line, place) }]);
    expect(text).toContain(`> 1 | ${line}\n    | ${carets}\n`);
  });
  test("cuts a very long line to a window that holds the place", () => {
    const place = { file: "a.ts", line: 1, column: 5001, length: 3 };
    const line = `${"x".repeat(5000)}bad${"y".repeat(5000)}`;
    const rows = formatProblems([{ ...projectWide, location: place, frame: codeFrame(line, place) }]).split("\n");
    expect(rows[2]!.length).toBeLessThan(180);
    expect(rows[2]!.slice(rows[3]!.indexOf("^"), rows[3]!.indexOf("^") + 3)).toBe("bad");
  });
  test("never lets escape sequences of the source through to the terminal", () => {
    const place = { file: "a.ts", line: 1, column: 1, length: 1 };
    const text = formatProblems([
      { ...projectWide, message: "\u001b[2J", location: place, frame: codeFrame("\u001b]0;x\u0007", place) },
    ]);
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain("\u0007");
  });
});

test("codeFrame() counts lines as TypeScript does", () => {
  expect(codeFrame("a\r\nb\rc\u2028d\ne", { line: 4 })).toEqual({ firstLine: 2, lines: ["b", "c", "d", "e"] });
  expect(codeFrame("\ufeffa", { line: 1 })).toEqual({ firstLine: 1, lines: ["a"] });
});

test("the JSON form has the fields of each problem", () => {
  expect(JSON.parse(formatProblems([functionMember, projectWide], { format: "json" }))).toEqual({
    problems: [JSON.parse(JSON.stringify(functionMember)), projectWide],
  });
});

describe("the GitHub form", () => {
  test("is one workflow command a problem, with the ends of the place", () => {
    expect(formatProblems([functionMember, projectWide], { format: "github" }).split("\n")).toEqual([
      "::error file=src/tools/orders.ts,line=10,endLine=10,col=17,endColumn=39,title=callsignc function-member::(done: number) => void is a function; a model cannot send one%0Ain exportOrders(options.onProgress)%0Ahint: remove it, or take it from a ToolContext parameter, which the runtime fills in and the schema leaves out",
      "::warning title=callsignc no-tools::no tools were found%0Ahint: mark one",
      "",
    ]);
  });
  test("escapes what would end a property or the command", () => {
    const odd: Problem = {
      ...projectWide,
      message: "100%\r\n::error::x",
      location: { ...location, file: "a,b:c%.ts" },
    };
    const text = formatProblems([odd], { format: "github", pathPrefix: "packages/x/" });
    expect(text).toContain("file=packages/x/a%2Cb%3Ac%25.ts,");
    expect(text).toContain("::100%25%0D%0A::error::x%0Ahint");
    expect(text.split("\n")).toHaveLength(2);
  });
});

describe("the SARIF form", () => {
  const require = createRequire(import.meta.url);
  const folder = require.resolve("@microsoft/jest-sarif").replace(/lib\/index\.js$/, "lib/schemas/");
  const schema = JSON.parse(readFileSync(`${folder}sarif-2.1.0-rtm.5.json`, "utf8"));
  const notes = [{ message: "declared here", location: { ...location, file: "src/a b#.ts" } }];
  test.each([
    ["with everything", [{ ...functionMember, notes }, projectWide, functionMember]],
    ["without problems", []],
  ])("is valid by the official schema %s", (_, problems) => {
    const log = JSON.parse(formatProblems(problems, { format: "sarif", version: "1.2.3", pathPrefix: "packages/x/" }));
    // The schema names draft 04's way of `id`, which no rule of it depends on.
    const { id: _id, $schema: _schema, ...rules } = schema;
    const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
    formats.default(ajv);
    const validate = ajv.compile(rules);
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
    expect(log.runs[0].results).toHaveLength(problems.length);
  });
  test("gives each code once as a rule, and places as encoded paths from the repository's root", () => {
    const log = JSON.parse(
      formatProblems([{ ...functionMember, notes }, projectWide], { format: "sarif", pathPrefix: "packages/x/" }),
    );
    const [run] = log.runs;
    expect(run.tool.driver.rules).toEqual([{ id: "function-member" }, { id: "no-tools" }]);
    expect(run.results[0].locations[0]).toEqual({
      physicalLocation: {
        artifactLocation: { uri: "packages/x/src/tools/orders.ts", uriBaseId: "%SRCROOT%" },
        region: { startLine: 10, startColumn: 17, endLine: 10, endColumn: 39 },
      },
      logicalLocations: [{ fullyQualifiedName: "exportOrders(options.onProgress)" }],
    });
    expect(run.results[0].relatedLocations[0].physicalLocation.artifactLocation.uri).toBe("packages/x/src/a%20b%23.ts");
    expect(run.results[1].locations).toEqual([]);
  });
});
