import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Json, JsonSchema } from "@callsign/runtime/manifest";
import { describe, expect, test } from "vitest";
import { readReference, resolveKeys } from "../../runtime/src/manifest/json-pointer.js";
import { compileSchema } from "../../runtime/src/validation/compile-schema.js";
import { inspectFile } from "../src/inspect-file.js";
import { strictComplaints } from "./support/strict-ajv.js";

// Cases and a corpus that live beside the repository. Where they are not, the fixtures stand alone.
const shared = fileURLToPath(new URL("../../../../shared", import.meta.url));
const repository = fileURLToPath(new URL("../../..", import.meta.url));

interface Tool {
  readonly name: string;
  readonly params: readonly string[];
  readonly file?: string;
}

interface ExpectedError {
  readonly file?: string;
  readonly lineContains?: string;
  readonly lineContainsAnyOf?: readonly string[];
  readonly mentions?: readonly string[];
  readonly each?: readonly (ExpectedError & { readonly tool: string })[];
}

interface Case {
  readonly id: string;
  readonly fault: string;
  readonly files: Readonly<Record<string, string>>;
  readonly tool: Tool;
  readonly accept: readonly Record<string, Json>[] | null;
  readonly reject: readonly Json[] | null;
  readonly error: ExpectedError | null;
  readonly control?: Pick<Case, "files" | "tool" | "accept" | "reject">;
  readonly expect: {
    readonly descriptions?: Record<string, string[]>;
    readonly extraFiles?: Record<string, string>;
  } | null;
}

const cases = existsSync(join(shared, "cases"))
  ? readdirSync(join(shared, "cases"))
      .filter((name) => /^RC-[AC]\d+\.json$/.test(name))
      .map((name) => JSON.parse(readFileSync(join(shared, "cases", name), "utf8")) as Case)
  : [];

function inProject<T>(files: Case["files"], run: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "callsign-case-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  try {
    return run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the compiler makes of one function of the case, marked or not. */
function inspect(files: Case["files"], { name, file = "src/tools.ts" }: Pick<Tool, "name" | "file">) {
  return inProject(files, (folder) => {
    const project = file.replace(/src\/[^/]*$/, "tsconfig.json");
    return inspectFile({ cwd: folder, file, project, exports: [name] }).entries?.[name];
  });
}

/** The values of a case are keyed by parameter; a lone object parameter is the arguments object itself. */
function asArguments(value: Json, { params }: Tool, schema: JsonSchema): Json {
  const [only] = params;
  const isRecord = value !== null && typeof value === "object" && !Array.isArray(value);
  if (!isRecord || params.length !== 1 || only === undefined || schema.properties?.[only] !== undefined) return value;
  return (value as Record<string, Json>)[only] ?? null;
}

async function checkValues(schema: JsonSchema, { tool, accept, reject }: Pick<Case, "tool" | "accept" | "reject">) {
  const compiled = await compileSchema(schema, tool.name);
  for (const value of accept ?? []) {
    const given = asArguments(value, tool, schema);
    expect(compiled.firstError(compiled.root, given), `accepts ${JSON.stringify(value)}`).toBeUndefined();
  }
  for (const value of reject ?? []) {
    const given = asArguments(value, tool, schema);
    expect(compiled.accepts(compiled.root, given), `rejects ${JSON.stringify(value)}`).toBe(false);
  }
}

function schemaOf(files: Case["files"], tool: Tool): JsonSchema {
  const entry = inspect(files, tool);
  if (entry === undefined || !("schema" in entry)) throw new Error(JSON.stringify(entry));
  return entry.schema;
}

function references(schema: unknown): readonly string[] {
  if (schema === null || typeof schema !== "object") return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "$ref" && typeof value === "string" ? [value] : references(value),
  );
}

/** Every text on the way to a member. */
function textsTo(schema: JsonSchema, path: readonly string[]): string {
  const keys = schema.$ref === undefined ? undefined : readReference(schema.$ref);
  const own = schema.description ?? "";
  const target = keys === undefined ? schema : (resolveKeys(root, keys.map(String)) as JsonSchema);
  const [step, ...rest] = path;
  if (step === undefined) return `${own}\n${target.description ?? ""}`;
  return `${own}\n${textsTo(target.properties?.[step] ?? {}, rest)}`;
}
let root: JsonSchema = {};

if (cases.length > 0) {
  describe.each(cases.map((each) => [each.id, each.fault, each] as const))("the case %s (%s)", (_, __, given) => {
    const { files, tool, error } = given;
    if (error === null) {
      test("has the right outcome", async () => {
        const schema = schemaOf(files, tool);
        expect(strictComplaints(schema)).toEqual([]);
        await checkValues(schema, given);
        for (const reference of references(schema)) {
          expect(resolveKeys(schema, (readReference(reference) ?? ["?"]).map(String)), reference).toBeDefined();
        }
      });
      const { descriptions } = given.expect ?? {};
      if (descriptions !== undefined) {
        test("keeps its descriptions", () => {
          root = schemaOf(files, tool);
          for (const [path, texts] of Object.entries(descriptions)) {
            const [first = "", ...rest] = path.split(".");
            const steps = root.properties?.[first] === undefined ? rest : [first, ...rest];
            for (const text of texts) expect(textsTo(root, steps), path).toContain(text);
          }
        });
      }
      const { extraFiles } = given.expect ?? {};
      if (extraFiles !== undefined) {
        test("is the same with unrelated files", () => {
          expect(schemaOf({ ...files, ...extraFiles }, tool)).toEqual(schemaOf(files, tool));
        });
      }
    } else {
      test("is a located error", () => {
        for (const wanted of error.each ?? [{ ...error, tool: tool.name }]) {
          const entry = inspect(files, { name: wanted.tool, file: tool.file ?? "src/tools.ts" });
          const errors = entry !== undefined && "errors" in entry ? entry.errors : [];
          const lines = (files[wanted.file ?? "src/tools.ts"] ?? "").split("\n");
          const fitting = errors.filter(({ file, line, message, hint, typePath }) => {
            const text = lines[(line ?? 0) - 1] ?? "";
            const any = wanted.lineContainsAnyOf ?? [wanted.lineContains ?? ""];
            const said = `${wanted.tool} ${message} ${hint} ${typePath}`;
            return (
              file === (wanted.file ?? "src/tools.ts") &&
              any.some((part) => text.includes(part)) &&
              (wanted.mentions ?? []).every((part) => said.includes(part))
            );
          });
          expect(fitting.length, JSON.stringify(errors)).toBeGreaterThan(0);
        }
      });
    }
    const { control } = given;
    if (control !== undefined) {
      test("leaves its neighbour alone", async () => {
        await checkValues(schemaOf({ ...files, ...control.files }, control.tool), control);
      });
    }
  });
}

if (existsSync(join(shared, "corpus"))) {
  test("every construct of the corpus is judged right", () => {
    const files = ["constructs.ts", "other.ts", "pkg/index.d.ts", "tsconfig.json"];
    const text = (name: string) => readFileSync(join(shared, "corpus", name), "utf8");
    inProject(Object.fromEntries(files.map((name) => [name, text(name)])), (folder) => {
      const { entries } = inspectFile({ cwd: folder, file: "constructs.ts" });
      writeFileSync(join(folder, "answer.json"), JSON.stringify(entries));
      const check = [
        join(shared, "corpus/check.mjs"),
        "constructs.ts",
        "answer.json",
        join(repository, "packages/runtime"),
      ];
      const { status, stdout } = spawnSync(process.execPath, check, { cwd: folder, encoding: "utf8" });
      expect(stdout).toMatch(/^right (\d+) of \1\n$/);
      expect(status).toBe(0);
    });
  });
}

if (cases.length === 0 && !existsSync(join(shared, "corpus"))) {
  test("without the shared folder the fixtures stand alone", () => {
    expect(existsSync(join(repository, "fixtures"))).toBe(true);
  });
}
