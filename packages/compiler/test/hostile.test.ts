import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonSchema } from "@callsign/runtime/manifest";
import { afterEach, describe, expect, test } from "vitest";
import { compileSchema } from "../../runtime/src/validation/compile-schema.js";
import type { CompileResult } from "../src/compile-options.js";
import { compileProject } from "../src/compile-project.js";
import { compileFiles, compileSource } from "./support/compile-files.js";
import { strictComplaints } from "./support/strict-ajv.js";

const tool = (parameters: string) => `/**\n * Takes it.\n * @tool\n */\nexport function take(${parameters}): void {}\n`;

const codesOf = ({ problems }: CompileResult) => [...new Set(problems.map(({ code }) => code))];

function expectLocatedError(result: CompileResult, ...codes: string[]): void {
  expect(result.manifest).toBeUndefined();
  const errors = result.problems.filter(({ severity }) => severity === "error");
  expect(errors.length).toBeGreaterThan(0);
  for (const { code, location, hint } of errors) {
    expect(codes).toContain(code);
    expect(location?.line).toBeGreaterThan(0);
    expect(location?.column).toBeGreaterThan(0);
    expect(hint).not.toBe("");
  }
}

/** The schema of the only tool's arguments, which strict Ajv takes too. */
function parametersOf({ manifest, problems }: CompileResult) {
  const parameters = manifest?.tools[0]?.parameters;
  if (parameters === undefined) throw new Error(JSON.stringify(problems.slice(0, 3)));
  expect(strictComplaints(parameters)).toEqual([]);
  return parameters;
}

const folders: string[] = [];

/** A project on disk, for what only the file system can show. */
function onDisk(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), "callsign-"));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const TSCONFIG = JSON.stringify({ compilerOptions: { target: "ES2022", module: "nodenext", strict: true, types: [] } });

describe("types that never end", () => {
  const grows: Readonly<Record<string, string>> = {
    "through an array": "interface G<T> { value: T; next?: G<T[]> }",
    "through a wrapper": "interface Box<T> { inner: T }\ninterface G<T> { value: T; next?: G<Box<T>> }",
    "through a tuple": "interface G<T> { value: T; next?: G<[T, T]> }",
    "through an object literal": "interface G<T> { value: T; next?: G<{ inner: T }> }",
    "through a union": "interface G<T> { value: T; next?: G<T[] | { x: T }> }",
    "through a record": "interface G<T> { value: T; next?: G<Record<string, T>> }",
    "through a map": "interface G<T> { value: T; next?: G<Map<string, T>> }",
    "through an alias": "type G<T> = { value: T; next?: G<T[]> }",
    "through two types in turn":
      "interface G<T> { value: T; other?: H<T[]> }\ninterface H<T> { value: T; back?: G<{ x: T }> }",
    "through three types in turn":
      "interface G<T> { a?: H<T[]> }\ninterface H<T> { b?: I<T> }\ninterface I<T> { c?: G<T>; value: T }",
    "branching in two": "interface G<T> { value: T; left?: G<T[]>; right?: G<{ x: T }> }",
    "branching in three over two types":
      "interface G<T> { a?: H<T[]>; b?: H<{ x: T }>; c?: G<[T]> }\ninterface H<T> { a?: G<T[]>; b?: G<{ y: T }>; value: T }",
    "through the element of an array": "interface G<T> { list: G<T[]>[]; value: T }",
    "through a union branch": 'type G<T> = { kind: "end"; value: T } | { kind: "more"; next: G<T[]> }',
    "through a conditional type":
      "type Wrap<T> = T extends string ? { text: T } : { inner: T };\ninterface G<T> { value: T; next?: G<Wrap<T>> }",
    "through a mapped type": "type M<T> = { [K in 'x']: T };\ninterface G<T> { value: T; next?: G<M<T>> }",
    "with a second argument": "interface G<T, U = string> { value: T; other: U; next?: G<U, T[]> }",
    "as a class": "class G<T> { value!: T; next?: G<T[]> }",
  };

  test.each(Object.entries(grows))("are a located error: %s", (_, declarations) => {
    const result = compileSource(`${declarations}\n${tool("id: string, it: G<string>")}`);
    expectLocatedError(result, "infinite-expansion", "too-deep", "too-large");
  });

  test("in a return type leave the tool without an output schema", () => {
    const result = compileSource(
      "interface G<T> { value: T; left?: G<T[]>; right?: G<{ x: T }> }\n/**\n * Gives it.\n * @tool\n */\nexport function give(id: string): G<string> { throw id; }\n",
    );
    expect(codesOf(result)).toEqual(["return-without-json"]);
    expect(result.manifest?.tools[0]?.returns).toBeUndefined();
  });

  test("are told from generics that come to an end", () => {
    const counted = `type Count<N extends number, A extends 0[] = []> = A["length"] extends N ? string : { next: Count<N, [...A, 0]> };`;
    const parameters = parametersOf(compileSource(`${counted}\n${tool("id: string, it: Count<30>")}`));
    expect(JSON.stringify(parameters).match(/"next"/g)?.length).toBe(60);
  });
});

describe("large types", () => {
  const many = (count: number, make: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => make(index));

  test("a union of 10,000 literals is one enum", () => {
    const union = many(10_000, (index) => `"v${index}"`).join(" | ");
    const parameters = parametersOf(
      compileSource(`type Big = ${union};\n${tool("id: string, it: Big, list?: Big[]")}`),
    );
    expect(parameters.properties?.it?.enum ?? parameters.$defs?.Big?.enum).toHaveLength(10_000);
  });

  test("a union of 10,000 numbers is one enum", () => {
    const union = many(10_000, (index) => `${index}`).join(" | ");
    const parameters = parametersOf(compileSource(tool(`id: string, it: ${union}`)));
    expect(parameters.properties?.it?.enum).toHaveLength(10_000);
  });

  test("a union of 2,000 objects has 2,000 branches", async () => {
    const union = many(2_000, (index) => `{ kind: "k${index}"; value${index}: number }`).join(" | ");
    const { manifest } = compileSource(`type Big = ${union};\n${tool("id: string, it: Big")}`);
    const parameters = manifest?.tools[0]?.parameters ?? {};
    expect(parameters.properties?.it?.anyOf).toHaveLength(2_000);
    const compiled = await compileSchema(parameters, "take");
    expect(compiled.accepts(compiled.root, { id: "x", it: { kind: "k1999", value1999: 1 } })).toBe(true);
    expect(compiled.accepts(compiled.root, { id: "x", it: { kind: "k1999", value1: 1 } })).toBe(false);
  });

  test("an interface of 5,000 members has 5,000 properties, and the runtime checks each", async () => {
    const members = many(5_000, (index) => `m${index}?: string;`).join(" ");
    const { manifest } = compileSource(`interface Big { ${members} }\n${tool("id: string, it: Big")}`);
    expect(Object.keys(manifest?.tools[0]?.parameters.properties?.it?.properties ?? {})).toHaveLength(5_000);
    const parameters = manifest?.tools[0]?.parameters ?? {};
    const compiled = await compileSchema(parameters, "take");
    expect(compiled.accepts(compiled.root, { id: "x", it: { m0: "a", m4999: "b" } })).toBe(true);
    expect(compiled.firstError(compiled.root, { id: "x", it: { m0: "a", m4999: 1, m5000: 2 } })).toMatchObject({
      instancePath: "/it",
      params: { additionalProperty: "m5000" },
    });
    expect(compiled.firstError(compiled.root, { id: "x", it: { m4999: 1 } })?.instancePath).toBe("/it/m4999");
  });

  test("300 tools of one file are 300 tools", () => {
    const source = many(300, (index) => tool("id: string, it: { a: number }").replace("take", `take${index}`)).join(
      "\n",
    );
    expect(compileSource(source).manifest?.tools).toHaveLength(300);
  });

  test("a diamond of 60 levels does not multiply", () => {
    const levels = many(60, (index) => `interface L${index} { left: L${index + 1}; right: L${index + 1} }`).join("\n");
    const result = compileSource(`${levels}\ninterface L60 { value: string }\n${tool("id: string, it: L0")}`);
    expect(JSON.stringify(parametersOf(result)).length).toBeLessThan(100_000);
  });

  test("a tuple of 1,000 slots has 1,000 slots", () => {
    const parameters = parametersOf(compileSource(tool(`id: string, it: [${many(1_000, () => "number").join(", ")}]`)));
    expect(parameters.properties?.it).toMatchObject({ minItems: 1_000, maxItems: 1_000 });
  });
});

describe("types nested 200 levels deep", () => {
  const nest = (wrap: (inner: string) => string, levels = 200) => {
    let type = "string";
    for (let level = 0; level < levels; level++) type = wrap(type);
    return type;
  };

  test.each([
    ["object literals", "", nest((inner) => `{ a: ${inner} }`)],
    ["arrays", "", nest((inner) => `${inner}[]`)],
    ["tuples", "", nest((inner) => `[${inner}]`)],
    ["records", "", nest((inner) => `Record<string, ${inner}>`)],
    ["generics", "interface Wrap<T> { inner: T }", nest((inner) => `Wrap<${inner}>`)],
    ["unions of objects", "", nest((inner) => `{ a: ${inner} } | { b: number }`)],
    ["intersections", "", nest((inner) => `{ a: ${inner} } & { b: number }`)],
    ["parentheses", "", nest((inner) => `(${inner})`)],
  ])("are mapped: %s", (_, declarations, type) => {
    const result = compileSource(`${declarations}\n${tool(`id: string, it: ${type}`)}`);
    expect(result.problems.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(result.manifest).toBeDefined();
  });

  test("are mapped through a recursive conditional type as well", () => {
    const partial = "type DeepPartial<T> = T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;";
    const type = nest((inner) => `Wrap<${inner}>`, 90);
    const result = compileSource(
      `interface Wrap<T> { inner: T }\n${partial}\n${tool(`id: string, it: DeepPartial<${type}>`)}`,
    );
    const parameters = parametersOf(result);
    expect(JSON.stringify(parameters)).not.toContain('"required":["inner"]');
  });

  test("are a located error beyond the limit", () => {
    const result = compileSource(tool(`id: string, it: ${nest((inner) => `{ a: ${inner} }`, 450)}`));
    expectLocatedError(result, "too-deep");
  });
});

describe("circles", () => {
  test("modules that import each other compile", () => {
    const { manifest, problems } = compileFiles({
      "a.ts": `import type { B } from "./b.js";\nexport interface A { b?: B }\n${tool("id: string, it: B")}`,
      "b.ts": `import type { A } from "./a.js";\nexport interface B { a?: A }\n`,
    });
    expect(problems).toEqual([]);
    expect(manifest?.tools[0]?.parameters.properties?.it).toBeDefined();
  });

  test("modules that re-export each other compile", () => {
    const { manifest } = compileFiles({
      "a.ts": `export * from "./b.js";\n${tool("id: string")}`,
      "b.ts": `export * from "./a.js";\nexport const b = 1;\n`,
    });
    expect(manifest?.tools.map(({ name }) => name)).toEqual(["take"]);
  });

  test("constants that name each other are no default", () => {
    const result = compileSource(
      `const a: number = b;\nconst b: number = a;\nconst self: number = self;\n${tool("x: number = a, y: number = b, z: number = self")}`,
    );
    expect(parametersOf(result).properties).toEqual({
      x: { type: "number" },
      y: { type: "number" },
      z: { type: "number" },
    });
  });

  test("constants in a circle through objects and arrays are no default", () => {
    const result = compileSource(
      `const a: unknown[] = [b];\nconst b: { a: unknown } = { a };\n${tool("id: string, x: unknown[] = a")}`,
    );
    expect(result.manifest?.tools[0]?.parameters.properties?.x).toEqual({ type: "array", items: {} });
  });

  test.each([
    ["an alias of itself", "type Loop = Loop;"],
    ["aliases of each other", "type Loop = Other;\ntype Other = Loop;"],
    ["an interface that extends itself", "interface Loop extends Loop { a: string }"],
    [
      "interfaces that extend each other",
      "interface Loop extends Other { a: string }\ninterface Other extends Loop { b: string }",
    ],
    ["a class that extends itself", "class Loop extends Loop { a = '' }"],
    ["an alias of its own key", "type Loop = { a: Loop['a'] };"],
    ["a constant of its own type", "const loop: typeof loop = 1;\ntype Loop = typeof loop;"],
    ["an enum of its own member", "enum Loop { A = Loop.B, B = Loop.A }"],
    ["a constraint of itself", "type Loop<T extends Loop<T> = any> = { a: T };"],
  ])("types that are circular end: %s", (_, declarations) => {
    const result = compileSource(`${declarations}\n${tool("id: string, it: Loop")}`);
    if (result.manifest === undefined) expect(result.problems[0]?.location?.line).toBeGreaterThan(0);
    else parametersOf(result);
  });
});

describe("sources that mean nothing", () => {
  test.each([
    ["a missing bracket", "export function take(id: string { }"],
    ["a half-written type", "/** @tool */ export function take(id: ): void {}"],
    ["an unended string", 'export const x = "abc'],
    ["an unended comment", "/** @tool \nexport function take(): void {}"],
    ["a stray bracket", "}\nexport function take(): void {}"],
    ["binary rubbish", "\u0000\u0001\u0002 export function"],
    ["a conflict marker", "<<<<<<< HEAD\nexport const a = 1;\n=======\nexport const a = 2;\n>>>>>>> other\n"],
  ])("are syntax errors with a place: %s", (_, source) => {
    expectLocatedError(compileSource(source), "syntax-error");
  });

  test.each(["Missing", "Undeclared"])("an unresolved %s is an error whatever is done to it", (name) => {
    const uses = [
      ...[name, `${name}[]`, `keyof ${name}`, `Partial<${name}>`, `Pick<${name}, "a">`, `Omit<${name}, "a">`],
      ...[`Record<string, ${name}>`, `Record<keyof ${name}, string>`, `${name} extends string ? 1 : 2`],
      ...[`string extends ${name} ? 1 : 2`, `${name}["id"]`, `${name} & { x: string }`, `${name} | null`],
      ...[`{ [K in keyof ${name}]: string }`, `\`x-\${${name}}\``, `Map<string, ${name}>`, `Promise<${name}>`],
      ...[`Exclude<${name}, null>`, `NonNullable<${name}>`, `[string, ${name}?]`],
      ...["Heir", "Alias", "Alias[]", "Partial<Heir>", "keyof Heir", `Box<${name}>`, "Deep", "Child"],
      ...[`Parameters<(x: ${name}) => void>[0]`, `ReturnType<() => ${name}>`, `Awaited<${name}>`, `Uppercase<${name}>`],
    ];
    const prelude = `import type { Missing } from "./missing.js";
interface Heir extends ${name} { own: string }
type Alias = { inner: ${name} };
interface Box<T> { inner: T }
interface Deep { a: { b: ${name}[] } }
class Parent extends ${name} {}
class Child extends Parent { own = "" }
`;
    for (const use of uses) {
      const result = compileSource(`${prelude}${tool(`id: string, it: ${use}`)}`);
      expect(result.manifest, use).toBeUndefined();
      const codes = codesOf(result);
      expect(
        codes.some((code) => code === "unresolved-import" || code === "unresolved-name"),
        `${use}: ${codes}`,
      ).toBe(true);
    }
  });

  test("an empty file, a file of comments and a file of nothing but imports hold no tool", () => {
    for (const source of ["", "// nothing\n", 'import "./other.js";\n']) {
      const result = compileSource(source);
      expect(codesOf(result)).toEqual(["no-tools"]);
      expect(result.manifest?.tools).toEqual([]);
    }
  });
});

describe("names", () => {
  test("two tools of one name in two files are both reported", () => {
    const result = compileFiles({ "a.ts": tool("id: string"), "b.ts": tool("id: string") });
    expectLocatedError(result, "duplicate-tool-name");
    expect(result.problems.map(({ location }) => location?.file)).toEqual(["a.ts", "b.ts"]);
  });

  test.each(["9lives", "with space", "a.b", "émile", "", "x".repeat(65), "工具", "$", "a/b"])(
    'the tool name "%s" is an error or is taken from the declaration',
    (name) => {
      const result = compileSource(
        `import { tool } from "@callsign/runtime";\n/** Takes it. */\nexport const take = tool({ name: ${JSON.stringify(name)} }, (id: string): void => {});\n`,
      );
      expectLocatedError(result, "tool-name");
    },
  );

  test("property names that are special elsewhere are ordinary here", async () => {
    const names = [
      "__proto__",
      "constructor",
      "$ref",
      "",
      "ünïcode",
      "a/b",
      "a~b",
      "toString",
      "hasOwnProperty",
      "$defs",
      "😀",
      "\\n",
    ];
    const members = names.map((name) => `"${name}": string`).join("; ");
    const parameters = parametersOf(compileSource(tool(`id: string, it: { ${members} }`)));
    const keys = names.map((name) => name.replace("\\n", "\n"));
    expect(parameters.properties?.it?.required).toEqual(keys);
    expect(Object.keys(parameters.properties?.it?.properties ?? {})).toEqual(keys);
    const compiled = await compileSchema(parameters, "take");
    const whole = Object.fromEntries(keys.map((key) => [key, "x"]));
    expect(compiled.accepts(compiled.root, { id: "x", it: whole })).toBe(true);
    for (const key of keys) {
      const { [key]: _, ...rest } = whole;
      expect(compiled.accepts(compiled.root, { id: "x", it: rest }), `without ${key}`).toBe(false);
      const wrong = Object.fromEntries(keys.map((each) => [each, each === key ? 1 : "x"]));
      expect(compiled.accepts(compiled.root, { id: "x", it: wrong }), `wrong ${key}`).toBe(false);
    }
  });

  test("parameters and recursive types may have special names too", () => {
    const result = compileSource(
      `interface constructor { next?: constructor; value: string }\ninterface $ref { next?: $ref }\n${tool("toString: string, __proto__: number, hasOwnProperty: constructor, it: $ref")}`,
    );
    const parameters = parametersOf(result);
    expect(parameters.required).toEqual(["toString", "__proto__", "hasOwnProperty", "it"]);
    expect(Object.hasOwn(parameters.properties ?? {}, "__proto__")).toBe(true);
  });
});

describe("text of every kind", () => {
  const source =
    '/**\n * Sends a letter.\n *\n * Second paragraph.\n * @tool\n * @param to who gets it\n */\nexport function send(to: string, kind: "a" | "b" = "a"): void {}\n';

  test("line ends and a byte order mark change nothing", () => {
    const plain = compileSource(source).manifest;
    expect(plain?.tools).toHaveLength(1);
    expect(compileSource(source.replaceAll("\n", "\r\n")).manifest).toEqual(plain);
    const folder = onDisk({ "tsconfig.json": TSCONFIG, "tools.ts": `\uFEFF${source}` });
    expect(compileProject({ cwd: folder }).manifest).toEqual(plain);
  });

  test("bytes that are no UTF-8 do no harm", () => {
    const bytes = Buffer.concat([Buffer.from("// \xff\xfe\x80 latin\n", "latin1"), Buffer.from(source)]);
    const folder = onDisk({ "tsconfig.json": TSCONFIG, "tools.ts": bytes });
    expect(compileProject({ cwd: folder }).manifest?.tools[0]?.name).toBe("send");
  });

  test("UTF-16 is read by its mark", () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(source, "utf16le")]);
    const folder = onDisk({ "tsconfig.json": TSCONFIG, "tools.ts": bytes });
    expect(compileProject({ cwd: folder }).manifest?.tools[0]?.name).toBe("send");
  });

  test("a comment of a megabyte is kept whole", () => {
    const text = Array.from(
      { length: 20_000 },
      (_, line) => ` * Line ${line} of a very long description of nothing.`,
    ).join("\n");
    const result = compileSource(`/**\n${text}\n * @tool\n */\nexport function take(id: string): void {}\n`);
    expect(result.manifest?.tools[0]?.description?.length).toBeGreaterThan(900_000);
  });

  test("a thousand tags are read once each", () => {
    const tags = Array.from({ length: 1_000 }, (_, index) => ` * @param p${index} number ${index}`).join("\n");
    const parameters = Array.from({ length: 1_000 }, (_, index) => `p${index}: string`).join(", ");
    const result = compileSource(
      `/**\n * Takes it.\n * @tool\n${tags}\n */\nexport function take(${parameters}): void {}\n`,
    );
    expect(parametersOf(result).properties?.p999?.description).toBe("number 999");
    expect(result.problems).toEqual([]);
  });

  test("a line of a megabyte has a place in it", () => {
    const result = compileSource(`/* ${"x".repeat(1_000_000)} */ ${tool("it: () => void").replaceAll("\n", " ")}`);
    expectLocatedError(result, "callback-parameter");
  });
});

describe("a tsconfig", () => {
  const tools = tool("id: string");

  test("that is missing is an error that says how to get one", () => {
    const folder = onDisk({ "tools.ts": tools });
    const { manifest, problems } = compileProject({ cwd: folder });
    expect(manifest).toBeUndefined();
    expect(problems[0]).toMatchObject({ code: "tsconfig-missing", severity: "error" });
    expect(problems[0]?.hint).toContain("callsignc init");
  });

  test.each([
    ["broken", "{ oops"],
    ["empty of sense", "[1, 2"],
    ["that extends what is missing", '{ "extends": "./nowhere.json" }'],
    ["that extends a package that is missing", '{ "extends": "@nowhere/tsconfig" }'],
    ["that extends itself", '{ "extends": "./tsconfig.json" }'],
  ])("%s is an error with a place", (_, text) => {
    const folder = onDisk({ "tsconfig.json": text, "tools.ts": tools });
    const { manifest, problems } = compileProject({ cwd: folder });
    expect(manifest).toBeUndefined();
    const error = problems.find(({ severity }) => severity === "error");
    expect(error).toMatchObject({ code: "tsconfig", location: { file: "tsconfig.json" } });
    expect(error?.message).not.toContain(folder);
  });

  test("in a circle over three files is an error", () => {
    const folder = onDisk({
      "tsconfig.json": '{ "extends": "./a.json" }',
      "a.json": '{ "extends": "./b.json" }',
      "b.json": '{ "extends": "./tsconfig.json" }',
      "tools.ts": tools,
    });
    expect(codesOf(compileProject({ cwd: folder }))).toContain("tsconfig");
  });

  test("that only refers to others names them", () => {
    const folder = onDisk({
      "tsconfig.json": '{ "files": [], "references": [{ "path": "./app" }] }',
      "app/tsconfig.json": TSCONFIG,
      "app/tools.ts": tools,
    });
    const { problems } = compileProject({ cwd: folder });
    expect(problems[0]).toMatchObject({ code: "no-source-files" });
    expect(problems[0]?.hint).toContain("./app");
    expect(compileProject({ cwd: folder, project: "app" }).manifest?.tools[0]?.name).toBe("take");
  });

  test("whose folder moves changes nothing", () => {
    const folder = onDisk({ "one/tsconfig.json": TSCONFIG, "one/tools.ts": tools });
    cpSync(join(folder, "one"), join(folder, "deep/er/two"), { recursive: true });
    expect(compileProject({ cwd: join(folder, "deep/er/two") }).manifest).toEqual(
      compileProject({ cwd: join(folder, "one") }).manifest,
    );
  });
});

describe("declarations of a dependency", () => {
  const use = (types: string, of = "It") =>
    compileFiles({
      "node_modules/sdk/package.json": '{"name":"sdk","version":"1.0.0","types":"index.d.ts","type":"module"}',
      "node_modules/sdk/index.d.ts": types,
      "tools.ts": `import type { It } from "sdk";\n${tool(`id: string, it: ${of}`)}`,
    });

  test("are not to be mended: a tag of theirs that does not fit is a warning, and left out", () => {
    const result = use(`export interface It {
      /** @default the other one, if any */ a?: number;
      /** @default */ b?: number;
      /** @minimum 3 */ c: string;
      /** @format no-such */ d: string;
    }`);
    expect(codesOf(result).sort()).toEqual(["constraint-type", "constraint-value", "default-value"]);
    for (const { severity, location } of result.problems) {
      expect([severity, location?.file]).toEqual(["warning", "tools.ts"]);
    }
    expect(parametersOf(result).properties?.it).toMatchObject({
      properties: { a: { type: "number" }, b: { type: "number" }, c: { type: "string" }, d: { type: "string" } },
    });
  });

  test("give errors at the place of use, however deep the type stands in them", () => {
    for (const types of [
      "export interface It { list: { run(): void }[] }",
      "export interface It { list: (() => void)[] }",
      "export interface It { record: { [key: string]: symbol } }",
      "export interface It { tuple: [id: string, at: symbol] }",
      "export interface It { set: Set<symbol>; map: Map<string, symbol> }",
      "declare class C { private x; y: string }\nexport interface It { list: C[]; also: [C]; or: string | C }",
    ]) {
      expectLocatedError(use(types), "function-member", "method-member", "symbol", "class-instance");
    }
  });
});

describe("idioms for nothing", () => {
  test("a record of never is an object without members", () => {
    expect(parametersOf(compileSource(tool("id: string, it: Record<string, never>"))).properties?.it).toEqual({
      type: "object",
      additionalProperties: false,
    });
  });

  test("a symbol key that nothing can stand under loses nothing", () => {
    const it = "declare const tag: unique symbol;\n";
    const [result] = [compileSource(`${it}${tool("id: string, it: { a: string; [tag]?: never }")}`)];
    expect(parametersOf(result).properties?.it).toMatchObject({ required: ["a"], additionalProperties: false });
    expectLocatedError(compileSource(`${it}${tool("id: string, it: { a: string; [tag]?: 1 }")}`), "symbol-key");
  });
});

describe("defaults in JSDoc", () => {
  const defaultOf = (type: string, text: string) => {
    const result = compileSource(tool(`id: string, it: { /** @default ${text} */ a?: ${type} }`));
    return (parametersOf(result).properties?.it as JsonSchema | undefined)?.properties?.a?.default;
  };

  test("may stand in backticks or a fence", () => {
    expect(defaultOf("boolean", "`false`")).toBe(false);
    expect(defaultOf("number", "`1`")).toBe(1);
    expect(defaultOf("string", "`abc`")).toBe("abc");
    expect(defaultOf("string[]", '```json\n["a"]\n```')).toEqual(["a"]);
  });

  test("are strings where only a string fits", () => {
    expect(defaultOf('"true" | "false" | "legacy"', "true")).toBe("true");
    expect(defaultOf("string", "10")).toBe("10");
    expect(defaultOf("string | number", "10")).toBe(10);
  });
});

describe("comments of every kind", () => {
  const described = (comment: string, parameters = "a: string") => {
    const { manifest, problems } = compileSource(
      `/**\n${comment}\n@tool\n*/\nexport function take(${parameters}) {}\n`,
    );
    return { problems, tool: manifest?.tools[0] };
  };

  test("a code fence holds no tags", () => {
    const code = "```ts\n@decorated()\nclass A {} // @param a none\n@tool wrong\n```";
    const { tool, problems } = described(`Adds.\n\n${code}\n\nThe rest.\n@param a The text.\n@example ${code}`);
    expect(problems).toEqual([]);
    expect(tool).toMatchObject({
      name: "take",
      description: `Adds.\n\n${code}\n\nThe rest.`,
      parameters: { properties: { a: { description: "The text." } } },
    });
  });

  test("@description and @remarks are part of the description", () => {
    expect(described("@description From the tag.\n@remarks More.").tool?.description).toBe("From the tag.\n\nMore.");
    expect(described("Adds.\n@remarks\nMore.").tool?.description).toBe("Adds.\n\nMore.");
    expect(described("", "a: { /** @description b's text */ b: string }").tool?.parameters).toMatchObject({
      properties: { b: { description: "b's text" } },
    });
  });

  test("a type in braces may hold braces", () => {
    const { tool, problems } = described("Adds.\n@param {{ b: { c: {} } }} a The text.", "a: string, n: number");
    expect(problems).toEqual([]);
    expect(tool?.parameters).toMatchObject({ properties: { a: { description: "The text." } } });
  });

  test("a default that is no time or address is no default of a codec", () => {
    for (const [type, text] of [
      ["Date", "new Date()"],
      ["Date", "now"],
      ["URL", "the home page"],
    ]) {
      const result = compileSource(tool(`id: string, it: { /** @default ${text} */ a?: ${type} }`));
      expectLocatedError(result, "default-value");
    }
    const right = compileSource(tool("id: string, it: { /** @default 2026-01-31T12:00:00Z */ a?: Date }"));
    expect(right.problems).toEqual([]);
  });
});

describe("numbers that JSON has not", () => {
  test("are no default", () => {
    const source = tool("a: number = 1e400, b: number = -1e400, c = [1, 1e400], d: E = E.Huge").replace(
      "/**",
      "enum E { Huge = 1e400, Small = 1 }\n/**",
    );
    expect(codesOf(compileSource(source))).toEqual(["no-json-form"]);
    const { properties } = parametersOf(compileSource(tool("a: number = 1e400, b: number = -1e400, c = [1, 1e400]")));
    expect(properties).toEqual({
      a: { type: "number" },
      b: { type: "number" },
      c: { type: "array", items: { type: "number" } },
    });
  });

  test("are no literal", () => {
    for (const type of ["1e400", "1 | 1e400", "-1e400 | null", "E", "E.Huge", "{ [E.Huge]: string }[1e400 | 1]"]) {
      const result = compileSource(
        `enum E { Huge = 1 / 0, None = 0 / 0, Small = 1 }\n${tool(`id: string, it: ${type}`)}`,
      );
      expectLocatedError(result, "no-json-form", "unresolved-name", "untyped-parameter", "any-type");
    }
  });
});
