import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadManifest, ManifestError } from "../src/index.js";
import { validateManifest } from "../src/manifest/index.js";
import { manifestOf, objectSchema, toolEntry } from "./manifest-fixture.js";

const schemaFile = new URL("../manifest.schema.json", import.meta.url);
const publishedSchema = JSON.parse(readFileSync(schemaFile, "utf8"));

function failure(action: () => unknown): ManifestError {
  try {
    action();
  } catch (error) {
    if (error instanceof ManifestError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const richTool = toolEntry({
  summary: "Adds.",
  deprecated: true,
  parameters: {
    $defs: { Node: objectSchema({ next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] } }, []) },
    ...objectSchema({
      node: { $ref: "#/$defs/Node" },
      at: { type: "string", format: "date-time", "x-codec": "date" },
      pair: { type: "array", prefixItems: [{ const: 1 }, { enum: ["a", null] }], items: false, minItems: 2 },
      many: { type: ["array", "null"], items: { type: "integer", minimum: 0, multipleOf: 2 }, uniqueItems: true },
      table: { type: "object", patternProperties: { "^x-": { not: { type: "string" } } }, propertyNames: {} },
    }),
  },
  call: [
    { from: "arguments" },
    { from: "context" },
    { from: "signal" },
    { from: "properties", names: ["at"] },
    { from: "property", name: "node" },
  ],
  returns: { type: "string" },
  streams: true,
  once: true,
  worker: false,
  requiresApproval: true,
});
const richManifest = {
  ...manifestOf(richTool),
  $schema: "./manifest.schema.json",
  schemas: [{ name: "Pair", module: "a.ts", export: "Pair", summary: "s", description: "d", schema: {} }],
  workflows: [{ name: "flow", module: "a.ts", export: "flow", summary: "s", description: "d", input: {} }],
};

describe("validateManifest()", () => {
  test("returns the same object when nothing is wrong", () => {
    expect(validateManifest(richManifest)).toBe(richManifest);
  });

  test.each([
    ["null", null, "manifest-not-an-object", ""],
    ["a list", [], "manifest-not-an-object", ""],
    ["a text", "{}", "manifest-not-an-object", ""],
    ["another version", { manifestVersion: 2, anything: true }, "manifest-version", "/manifestVersion"],
    ["no version", { tools: [], schemas: [], workflows: [] }, "manifest-shape", "/manifestVersion"],
    ["an unknown property", { ...manifestOf(), extra: 1 }, "manifest-shape", "/extra"],
    ["tools that are no list", { ...manifestOf(), tools: {} }, "manifest-shape", "/tools"],
    ["a tool that is null", { ...manifestOf(), tools: [null] }, "manifest-shape", "/tools/0"],
    ["a bad tool name", manifestOf(toolEntry({ name: "no spaces" })), "manifest-shape", "/tools/0/name"],
    ["a name twice", manifestOf(toolEntry(), toolEntry({ module: "b.ts" })), "duplicate-name", "/tools/1/name"],
    [
      "arguments that are no object",
      manifestOf(toolEntry({ parameters: { type: "string" } })),
      "manifest-shape",
      "/tools/0/parameters/type",
    ],
    [
      "a reference to nothing",
      manifestOf(toolEntry({ parameters: objectSchema({ a: { $ref: "#/$defs/Gone" } }) })),
      "schema-reference",
      "/tools/0/parameters/properties/a/$ref",
    ],
    [
      "a reference to the prototype",
      manifestOf(toolEntry({ parameters: { $defs: {}, ...objectSchema({ a: { $ref: "#/$defs/constructor" } }) } })),
      "schema-reference",
      "/tools/0/parameters/properties/a/$ref",
    ],
    [
      "a reference to another file",
      manifestOf(toolEntry({ parameters: objectSchema({ a: { $ref: "https://example.com/s.json" } }) })),
      "schema-reference",
      "/tools/0/parameters/properties/a/$ref",
    ],
    [
      "references in a circle",
      manifestOf(
        toolEntry({
          parameters: {
            $defs: { A: { anyOf: [{ $ref: "#/$defs/B" }, { type: "null" }] }, B: { $ref: "#/$defs/A" } },
            ...objectSchema({ a: { $ref: "#/$defs/A" } }),
          },
        }),
      ),
      "schema-reference",
      "/tools/0/parameters/$defs/A/anyOf/0/$ref",
    ],
    [
      "a pattern that does not compile",
      manifestOf(toolEntry({ parameters: objectSchema({ "a/b": { type: "string", pattern: "(" } }) })),
      "schema-keyword",
      "/tools/0/parameters/properties/a~1b/pattern",
    ],
    [
      "an unknown keyword",
      manifestOf(toolEntry({ parameters: { ...objectSchema({}), oneOf: [] } as never })),
      "schema-keyword",
      "/tools/0/parameters/oneOf",
    ],
    [
      "an unknown codec",
      manifestOf(toolEntry({ returns: { "x-codec": "regexp" as never } })),
      "schema-keyword",
      "/tools/0/returns/x-codec",
    ],
    [
      "an unknown call slot",
      manifestOf(toolEntry({ call: [{ from: "environment" }] as never })),
      "manifest-shape",
      "/tools/0/call/0/from",
    ],
  ])("refuses %s", (_, value, code, pointer) => {
    const error = failure(() => validateManifest(value));
    expect(error.code).toBe(code);
    expect(error.issues.map((issue) => issue.pointer)).toContain(pointer);
  });

  test("refuses __proto__ keys instead of following them", () => {
    const text = JSON.stringify(manifestOf(toolEntry())).replace('"tools"', '"__proto__":{"tools":[]},"tools"');
    expect(failure(() => validateManifest(JSON.parse(text))).pointer).toBe("/__proto__");
    expect(failure(() => validateManifest(JSON.parse('{"__proto__":{"manifestVersion":1}}'))).code).toBe(
      "manifest-shape",
    );
  });

  test("reports every issue at once, and says what was seen", () => {
    const error = failure(() =>
      validateManifest(manifestOf(toolEntry({ name: "" }), toolEntry({ call: "none" as never, module: "" }))),
    );
    expect(error.issues.map(({ pointer }) => pointer)).toEqual(["/tools/0/name", "/tools/1/module", "/tools/1/call"]);
    expect(error.message).toContain('not "none"');
  });

  test("takes a manifest of thousands of deep schemas", () => {
    let schema: object = { type: "string" };
    for (let depth = 0; depth < 20_000; depth += 1) schema = { type: "array", items: schema };
    const tools = Array.from({ length: 2000 }, (_, index) => toolEntry({ name: `tool_${index}` }));
    const manifest = manifestOf(...tools, toolEntry({ name: "deep", returns: schema }));
    expect(validateManifest(manifest)).toBe(manifest);
  });

  test("agrees with the published JSON Schema about every change of one value", () => {
    const ajv = new Ajv2020({ strict: false, ownProperties: true });
    addFormats.default(ajv);
    const accepts = ajv.compile(publishedSchema);
    expect(accepts(richManifest)).toBe(true);
    const places = allPlaces(richManifest);
    const replacement = fc.oneof(
      fc.constantFrom<unknown>(
        null,
        true,
        0,
        1,
        -1,
        1.5,
        "",
        "x",
        "date",
        "object",
        [],
        {},
        [""],
        ["a", "a"],
        undefined,
      ),
      fc.jsonValue(),
    );
    // What JSON Schema cannot say is left out of the comparison.
    const beyond = new Set(["schema-reference", "duplicate-name"]);
    fc.assert(
      fc.property(fc.constantFrom(...places), replacement, fc.boolean(), (place, value, addsKey) => {
        const changed = structuredClone(richManifest);
        change(changed, addsKey ? [...place, "extra"] : place, value);
        const plain = JSON.parse(JSON.stringify(changed));
        let issues: readonly { code: string }[] = [];
        try {
          validateManifest(plain);
        } catch (error) {
          issues = (error as ManifestError).issues;
        }
        expect(issues.every(({ code }) => beyond.has(code))).toBe(accepts(plain));
      }),
      { numRuns: 2000 },
    );
  });
});

function allPlaces(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [path];
  const inside = Object.entries(value).flatMap(([key, child]) => allPlaces(child, [...path, key]));
  return path.length === 0 ? inside : [path, ...inside];
}

function change(root: object, path: string[], value: unknown): void {
  let holder = root as Record<string, unknown>;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
  const last = path.at(-1) as string;
  if (typeof holder !== "object" || holder === null) return;
  if (value === undefined && !Array.isArray(holder)) delete holder[last];
  else if (value !== undefined && (!Array.isArray(holder) || last !== "extra")) holder[last] = value;
}

describe("loadManifest()", () => {
  const folder = mkdtempSync(join(tmpdir(), "callsign-"));
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  test("reads a path, a file URL and an object", () => {
    const path = write("good.json", `\uFEFF${JSON.stringify(richManifest)}`);
    expect(loadManifest(path)).toEqual(richManifest);
    expect(loadManifest(pathToFileURL(path))).toEqual(richManifest);
    expect(loadManifest(pathToFileURL(path).href)).toEqual(richManifest);
    expect(loadManifest(richManifest)).toBe(richManifest);
  });

  test.each([
    ["a missing file", () => join(folder, "gone.json"), "manifest-unreadable"],
    ["a folder", () => folder, "manifest-unreadable"],
    ["an address on the network", () => new URL("https://example.com/m.json"), "manifest-unreadable"],
    ["text that is no JSON", () => write("bad.json", "{"), "manifest-not-json"],
    ["JSON that is no manifest", () => write("list.json", "[]"), "manifest-not-an-object"],
  ])("refuses %s and names it", (_, source, code) => {
    const place = source();
    const error = failure(() => loadManifest(place));
    expect(error.code).toBe(code);
    expect(error.file).toBe(String(place));
    expect(error.message).toContain(String(place));
  });
});
