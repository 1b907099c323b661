import type { JsonSchema } from "@callsign/runtime/manifest";
import { describe, expect, test } from "vitest";
import type { CompileResult } from "../src/compile-options.js";
import { partsOf } from "../src/schema/emit-schema.js";
import { compileSource } from "./support/compile-files.js";
import { schemasOf } from "./support/fixtures.js";

/** Types without a JSON form of their own, and the codes that may say so. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  "() => void": ["function-member", "callback-parameter"],
  "new () => object": ["function-member", "callback-parameter"],
  Function: ["function-member", "callback-parameter"],
  Callable: ["function-member", "callback-parameter"],
  Service: ["method-member"],
  Handler: ["function-member"],
  User: ["class-instance"],
  Hidden: ["class-instance"],
  Guarded: ["class-instance"],
  symbol: ["symbol"],
  "typeof key": ["symbol"],
  "{ [key]: string }": ["symbol-key"],
  "{ [name: symbol]: string; open: string }": ["symbol-key"],
  never: ["never"],
  "string & number": ["never"],
  "{ x: never }": ["never"],
  "{ kind: 'a' } & { kind: 'b' }": ["never"],
  undefined: ["undefined-value"],
  void: ["undefined-value"],
  RegExp: ["no-json-form"],
  "Promise<string>": ["no-json-form"],
  "WeakMap<object, string>": ["no-json-form"],
  "WeakSet<object>": ["no-json-form"],
  Error: ["no-json-form"],
  ArrayBuffer: ["no-json-form"],
  SharedArrayBuffer: ["no-json-form"],
  DataView: ["no-json-form"],
  Int32Array: ["no-json-form"],
  "Iterable<string>": ["no-json-form"],
  "AsyncIterable<string>": ["no-json-form"],
  "Generator<string>": ["no-json-form"],
  Blob: ["no-json-form"],
  File: ["no-json-form"],
  Request: ["no-json-form"],
  "ReadableStream<string>": ["no-json-form"],
  HTMLElement: ["no-json-form"],
  AbortSignal: ["no-json-form"],
  String: ["no-json-form"],
  Object: ["no-json-form"],
  "Readonly<Date>": ["no-json-form"],
  "Date & { extra: number }": ["intersection"],
  "string[] & Map<string, string>": ["intersection"],
  "[string, ...number[], boolean]": ["rest-not-last"],
  "Grows<string>": ["infinite-expansion"],
  "{ a?: never; [name: string]: string | undefined }": ["never"],
  "{ id: number } & Record<string, string>": ["intersection-conflict"],
  Missing: ["unresolved-import"],
  Undeclared: ["unresolved-name"],
  "keyof Missing": ["unresolved-import"],
  "keyof Undeclared": ["unresolved-name"],
  "Partial<Missing>": ["unresolved-import"],
  "Pick<Undeclared, 'a'>": ["unresolved-name"],
  "Missing extends string ? 1 : 2": ["unresolved-import"],
  "Undeclared['x']": ["unresolved-name"],
  "typeof missingValue": ["unresolved-name"],
  "Missing.Inner": ["unresolved-import"],
  Heir: ["unresolved-import"],
};

const PRELUDE = `import type { Missing } from "./missing.js";
declare const key: unique symbol;
interface Callable { (): void; id: string }
interface Service { id: string; run(): void }
interface Handler { id: string; run: () => void }
class User { name = ""; greet(): string { return this.name; } }
class Hidden { #x = 1; name = ""; get x(): number { return this.#x; } }
class Guarded { protected x = 1; name = ""; }
interface Grows<T> { value: T; next?: Grows<T[]> }
interface Heir extends Missing { own: string }
interface Box<T> { inner: T }
`;

/** Positions that a type can stand in: the parameters of a function, and the path that leads to it. */
const POSITIONS: Readonly<Record<string, readonly [parameters: (type: string) => string, path: string]>> = {
  parameter: [(type) => `id: string, it: ${type}`, "take(it"],
  "lone parameter": [(type) => `it: ${type}`, "take(it"],
  member: [(type) => `id: string, it: { value: ${type}; ok: string }`, "take(it.value"],
  "optional member": [(type) => `id: string, it: { value?: ${type}; ok: string }`, "take(it.value"],
  element: [(type) => `id: string, it: (${type})[]`, "take(it[]"],
  "tuple slot": [(type) => `id: string, it: [string, ${type}]`, "take(it[1]"],
  "optional tuple slot": [(type) => `id: string, it: [string, (${type})?]`, "take(it[1]"],
  "rest of a tuple": [(type) => `id: string, it: [string, ...(${type})[]]`, "take(it[1]"],
  "union branch": [(type) => `id: string, it: number | (${type})`, "take(it"],
  "branch of a union of objects": [
    (type) => `id: string, it: { kind: "a" } | { kind: "b"; value: ${type} }`,
    "take(it.value",
  ],
  "record value": [(type) => `id: string, it: Record<string, ${type}>`, "take(it{}"],
  "value of a keyed record": [(type) => `id: string, it: Record<"a" | "b", ${type}>`, "take(it."],
  "index signature": [(type) => `id: string, it: { [name: string]: ${type} }`, "take(it{}"],
  "map value": [(type) => `id: string, it: Map<string, ${type}>`, "take(it{}"],
  "map key": [(type) => `id: string, it: Map<${type}, string>`, "take(it[0]"],
  "set element": [(type) => `id: string, it: Set<${type}>`, "take(it[]"],
  "type argument": [(type) => `id: string, it: Box<${type}>`, "take(it.inner"],
  "part of an intersection": [(type) => `id: string, it: { ok: string } & { value: ${type} }`, "take(it.value"],
  "member of a lone object": [(type) => `it: { value: ${type}; ok: string }`, "take(it.value"],
  "destructured member": [(type) => `{ value, ok }: { value: ${type}; ok: string }`, "take(value"],
  "destructured member beside others": [
    (type) => `id: string, { value, ok }: { value: ${type}; ok: string }`,
    "take(value",
  ],
  "mapped member": [(type) => `id: string, it: Partial<{ value: ${type}; ok: string }>`, "take(it.value"],
};

/** Where a value of the type may simply be absent, so that a schema without it is right (R2, and `n?: never`). */
const MAY_BE_ABSENT = new Set(["optional member", "mapped member", "union branch"]);
const ABSENT = new Set(["never", "string & number", "undefined", "void", "{ kind: 'a' } & { kind: 'b' }"]);
const EMPTY = new Set(["never", "string & number", "{ kind: 'a' } & { kind: 'b' }"]);
const UNDEFINED = new Set(["undefined", "void"]);

describe.each(Object.keys(TYPES))("the type %s", (type) => {
  const source = Object.entries(POSITIONS)
    .map(
      ([, [parameters]], index) =>
        `/**\n * Takes it.\n * @tool t${index}\n */\nexport function take${index}(${parameters(type)}): void {}`,
    )
    .join("\n");
  const all = compileSource(`${PRELUDE}${source}\n`);

  test.each(Object.keys(POSITIONS))("is refused where it stands as %s, or its schema is right", (position) => {
    const index = Object.keys(POSITIONS).indexOf(position);
    const [parameters, path] = POSITIONS[position] ?? [() => "", ""];
    const problems = all.problems.filter((problem) => problem.toolName === `t${index}` && problem.severity === "error");
    if (mayBeAbsent(type, position)) {
      expectAbsence(
        compileSource(
          `${PRELUDE}/**\n * Takes it.\n * @tool\n */\nexport function take(${parameters(type)}): void {}\n`,
        ),
      );
      return;
    }
    // An abort signal is what the runtime itself gives to a parameter.
    if (type === "AbortSignal" && /parameter$/.test(position)) return;
    expect(problems.length, `problems of ${parameters(type)}`).toBeGreaterThan(0);
    for (const { code, location, typePath, hint, message } of problems) {
      // An optional slot that can only be left out has nothing but undefined.
      const codes = position === "optional tuple slot" ? [...(TYPES[type] ?? []), "undefined-value"] : TYPES[type];
      expect(codes, message).toContain(code);
      expect(location).toMatchObject({ file: "tools.ts" });
      expect(location?.line).toBeGreaterThan(0);
      expect(location?.column).toBeGreaterThan(0);
      // A name that means nothing makes the whole written type meaningless: the path leads to that, the place to the name.
      const wanted = code.startsWith("unresolved-") ? "take(" : path;
      expect(typePath).toContain(wanted.replace("take(", `t${index}(`));
      expect(hint).not.toBe("");
    }
  });

  test("leaves no manifest", () => {
    expect(all.manifest).toBeUndefined();
  });
});

function mayBeAbsent(type: string, position: string): boolean {
  if (MAY_BE_ABSENT.has(position)) return ABSENT.has(type);
  // A record of never is an object without members.
  if (EMPTY.has(type) && /record value|index signature/.test(position)) return true;
  const isMember = /member|part of an intersection|type argument|branch of a union of objects|keyed record/.test(
    position,
  );
  // A union with undefined may be absent as a whole; a member of type undefined always is.
  return UNDEFINED.has(type) && isMember;
}

/** The schema has no place for the type, and no `{}` in its stead. */
function expectAbsence({ manifest, problems }: CompileResult): void {
  expect(problems.filter((problem) => problem.severity === "error")).toEqual([]);
  for (const { schema } of schemasOf(manifest ?? { manifestVersion: 1, tools: [], schemas: [], workflows: [] })) {
    expect(closed(schema)).toBe(true);
    expect(takesAnything(schema)).toBe(false);
  }
}

function takesAnything(schema: JsonSchema): boolean {
  return Object.keys(schema).length === 0 || partsOf(schema).some(takesAnything);
}

function closed(schema: JsonSchema): boolean {
  return schema.type === "object" && schema.additionalProperties === false;
}
