import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ts } from "@ts-morph/common";
import { afterEach, expect, test } from "vitest";
import { LIB_FOLDER, libText } from "../src/source/lib-files.js";
import { domNames } from "../src/source/lib-selection.js";
import { openProject } from "../src/source/open-project.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function open(
  files: Record<string, string>,
  options: { lib?: string[]; target?: string } = { lib: ["ES2022", "DOM"] },
) {
  const cwd = mkdtempSync(join(tmpdir(), "callsign-lib-"));
  folders.push(cwd);
  const tsconfig = { compilerOptions: { target: "es2022", types: [], strict: true, ...options }, include: ["**/*.ts"] };
  for (const [path, text] of Object.entries({ ...files, "tsconfig.json": JSON.stringify(tsconfig) })) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const { project } = openProject({ cwd });
  return project?.program.getSourceFiles().some((file) => file.fileName.endsWith("/lib.dom.d.ts"));
}

test("the DOM library is left out where no file refers to it", () => {
  expect(open({ "a.ts": "export function f(x: string): number { return x.length; }" })).toBe(false);
  expect(open({ "a.ts": "export const f = (x: string) => x;" }, {})).toBe(false);
});

test.each([
  ["a type", "export function f(event: Event): void {}"],
  ["a value whose type is asked for", "export type T = typeof document;"],
  ["a value that decides an inferred type", "export const f = () => location;"],
  ["a class of the platform", "export function f(url: URL): void {}"],
  ["a base interface", "export interface Mine extends Element { a: string }"],
  ["a name in a shorthand", "export const f = () => ({ status });"],
])("the DOM library is loaded for %s", (_, text) => {
  expect(open({ "a.ts": text })).toBe(true);
});

test("names of properties, parameters and members are no reference to the DOM", () => {
  const text = `export interface Order { name: string; status: "open" | "closed"; event: { top: number } }
export function f(name: string, { status }: Order): string { return name + status; }
export enum Kind { Text = "text", Node = "node" }`;
  expect(open({ "a.ts": text })).toBe(false);
});

test("a type of the project's own hides the DOM's of the same name", () => {
  expect(
    open({
      "a.ts": "import type { Event } from './b.js'; export function f(x: Event): void {}",
      "b.ts": "export interface Event { id: string }",
    }),
  ).toBe(false);
});

test("a global declaration of the same name would merge, so that the DOM library is loaded", () => {
  expect(open({ "a.ts": "export function f(x: Event): void {}", "b.d.ts": "interface Event { mine: string }" })).toBe(
    true,
  );
  expect(open({ "a.ts": "declare global { interface Window { mine: string } } export type T = string;" })).toBe(true);
});

test("a project that does not ask for the DOM never gets it", () => {
  expect(open({ "a.ts": "export function f(x: Missing): void {}" }, { lib: ["ES2022"] })).toBe(false);
});

test("the names of the DOM are read from the bundled library", () => {
  for (const name of ["Document", "URL", "AbortSignal", "name", "fetch", "ActiveXObject", "importScripts"]) {
    expect(domNames(), name).toContain(name);
  }
});

test("no name that the DOM library declares is overlooked", () => {
  const text = libText(`${LIB_FOLDER}/lib.dom.d.ts`) ?? "";
  const file = ts.createSourceFile("lib.dom.d.ts", text, ts.ScriptTarget.Latest);
  const declared = file.statements.flatMap((statement) =>
    ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map((declaration) => declaration.name.getText(file))
      : [(statement as { name?: ts.Identifier }).name?.text ?? ""],
  );
  expect(declared.length).toBeGreaterThan(2_000);
  expect(declared.filter((name) => name !== "" && !domNames().has(name))).toEqual([]);
});
