// Stands in for the compiler's core where a test is about what lies around it: processes, files, the command line.
// It reads functions with parameters of simple types by regular expressions, and is deterministic.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { JsonSchema, ManifestSchema, ManifestTool } from "@callsign/runtime/manifest";
import type { CompileOptions, CompileResult } from "../../src/compile-options.js";
import { codeFrame } from "../../src/errors/code-frame.js";
import type { Problem } from "../../src/errors/problem.js";
import { findTsconfig } from "../../src/manifest/output-folder.js";
import { listSources } from "../../src/source/list-sources.js";

export function compileProject(options: CompileOptions): CompileResult {
  if (process.env.CALLSIGN_DOUBLE_FAILS !== undefined) throw new Error("the core was called");
  const tsconfig = findTsconfig(options);
  if (tsconfig === undefined) throw new Error("the double needs a tsconfig");
  const root = dirname(tsconfig);
  const config = JSON.parse(readFileSync(tsconfig, "utf8")) as {
    include?: string[];
    compilerOptions?: { module?: string; allowImportingTsExtensions?: boolean };
  };
  const directories = (config.include ?? ["."]).map((path) => ({ path: join(root, path), recursive: true }));
  const files = listSources(directories).files;
  const tools: ManifestTool[] = [];
  const schemas: ManifestSchema[] = [];
  const problems: Problem[] = [];
  const missing: string[] = [];
  // Blocks the thread, as a compile does.
  const slowMs = Number(process.env.CALLSIGN_DOUBLE_SLOW_MS ?? 0);
  if (slowMs > 0) writeFileSync(join(root, ".compiling"), "");
  if (slowMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slowMs);
  for (const path of files) {
    const text = readFileSync(path, "utf8").replaceAll("\r\n", "\n");
    const module = relative(root, path);
    const report = (at: number, problem: Omit<Problem, "location" | "frame"> & { length: number }) => {
      const { length, ...fields } = problem;
      const before = text.slice(0, at).split("\n");
      const location = { file: module, line: before.length, column: before.at(-1)!.length + 1, length };
      const frame = codeFrame(text, location);
      problems.push({ ...fields, location, ...(frame === undefined ? {} : { frame }) });
    };
    for (const match of text.matchAll(/from "(\.[^"]+)\.js"/g)) {
      const target = join(dirname(path), `${match[1]}.ts`);
      if (existsSync(target) || /callsign(\.tools)?\.gen\.ts$/.test(target)) continue;
      missing.push(target);
      report(match.index, {
        severity: "error",
        code: "unresolved-import",
        message: `${match[1]}.js cannot be found`,
        hint: "create the file, or correct the path",
        length: match[0].length,
      });
    }
    for (const match of text.matchAll(/export interface (\w+) \/\* @schema \*\/ \{([^}]*)\}/g)) {
      schemas.push({ name: match[1]!, module, export: match[1]!, schema: readMembers(match[2]!, ";") });
    }
    for (const match of text.matchAll(
      /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export function (\w+)\(([^)]*)\)(?:: (\w+))?/g,
    )) {
      const [, doc = "", name = "", parameters = "", returns] = match;
      if (!doc.includes("@tool")) continue;
      const description = doc
        .replaceAll(/^[ \t]*\*[ \t]?/gm, "")
        .replace(/@tool[\s\S]*/, "")
        .trim();
      if (description === "") {
        report(match.index + match[0].indexOf(`${name}(`), {
          severity: options.strict === true ? "error" : "warning",
          code: "missing-description",
          message: `${name} has no description, and models choose tools by it`,
          hint: "write a JSDoc text above the function",
          toolName: name,
          length: name.length,
        });
      }
      for (const parameter of parameters.split(",").filter((part) => part.trim() !== "" && !part.includes(":"))) {
        report(text.indexOf(parameter.trim(), match.index + doc.length + 4), {
          severity: "error",
          code: "implicit-any",
          message: `the parameter ${parameter.trim()} has no type`,
          hint: `write its type, as in \`${parameter.trim()}: string\``,
          toolName: name,
          typePath: `${name}(${parameter.trim()})`,
          length: parameter.trim().length,
        });
      }
      const schema = readMembers(parameters, ",");
      const summary = description.split("\n")[0];
      tools.push({
        name,
        module,
        export: name,
        ...(description === ""
          ? {}
          : { summary: summary!, description: options.description === "first-line" ? summary! : description }),
        parameters: schema,
        call: Object.keys(schema.properties ?? {}).map((property) => ({ from: "property", name: property })),
        ...(returns === undefined || returns === "void" ? {} : { returns: TYPES[returns] ?? {} }),
      });
    }
  }
  tools.sort((a, b) => (a.name < b.name ? -1 : 1));
  const failed = problems.some(({ severity }) => severity === "error");
  const module = config.compilerOptions?.module?.toLowerCase();
  return {
    manifest: failed ? undefined : { manifestVersion: 1, tools, schemas, workflows: [] },
    problems,
    root,
    inputs: [tsconfig, ...files],
    missing,
    directories,
    moduleFormat: "esm",
    importExtension:
      config.compilerOptions?.allowImportingTsExtensions === true ? ".ts" : module === "nodenext" ? ".js" : "",
  };
}

const TYPES: Readonly<Record<string, JsonSchema>> = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
};

function readMembers(text: string, separator: string): JsonSchema {
  const members = text.split(separator).flatMap((part) => {
    const match = /^\s*(?:\/\*\*.*?\*\/\s*)?(\w+)(\?)?:\s*(.+?)\s*$/s.exec(part);
    return match === null ? [] : [{ name: match[1]!, optional: match[2] === "?", type: match[3]! }];
  });
  const required = members.filter(({ optional }) => !optional).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(members.map(({ name, type }) => [name, TYPES[type] ?? {}])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}
