import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { compileProject } from "../src/compile-project.js";
import { compileFiles } from "./support/compile-files.js";
import { compileFixture, readFixtures } from "./support/fixtures.js";

const folders: string[] = [];

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "callsign-same-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const bytes = (value: unknown) => JSON.stringify(value, null, 2);

const TOOLS = `import { fresh, type Parcel } from "./model.js";

const WEIGHTS = { feather: 1, anvil: 1000 };
type Mood = "sunny" | "gloomy" | "brisk";
type Carrier = { kind: "van"; doors: number } | { kind: "bike"; gears: 3 | 1 | 7 };
enum Speed {
  Slow = "slow",
  Fast = "fast",
}

/**
 * Ships a parcel.
 * @tool
 */
export function ship(
  mood: Mood,
  carrier: Carrier,
  level: 9 | 4 | 6 | null,
  loud: boolean | "whisper",
  weight: keyof typeof WEIGHTS,
  change: Partial<Parcel>,
  chosen: Pick<Parcel, "zone" | "label">,
  others: Omit<Parcel, "label">,
  byMood: Record<Mood, number>,
  bySpeed: { [K in Speed]?: K },
  renamed: { [K in keyof Parcel as \`new\${Capitalize<K>}\`]: Parcel[K] },
  excluded: Exclude<Mood, "brisk">,
  mapped: { [K in "omega" | "alpha" | "mid"]: K },
  text: \`\${"xs" | "lg"}-\${"web" | "app"}\`,
  member: Parcel["zone" | "size"],
  parts: (Carrier | string)[],
) {
  void [mood, carrier, level, loud, weight, change, chosen, others, byMood, bySpeed, renamed, excluded, mapped, text, member, parts];
  return fresh();
}

/**
 * A parcel.
 * @schema
 */
export interface Order extends Parcel {
  mood: Mood;
  keys: keyof Parcel;
}
`;

const MODEL = `export interface Parcel {
  zone: "west" | "east";
  label?: string;
  size: 3 | 1 | 2;
}
export class Crate {
  constructor(
    readonly width: number,
    readonly parcel: Parcel,
  ) {}
}
export const fresh = () => new Crate(1, { zone: "east", size: 1 });
`;

/** Files that have nothing to do with the tools, but mention the same names and literals, in another order. */
const UNRELATED: Readonly<Record<string, string>> = {
  "aaa.ts": `export const order = ["brisk", "gloomy", "sunny", "whisper", "anvil", "feather"] as const;
export type Early = (typeof order)[number] | 7 | 1 | 3 | 6 | 4 | 9 | 2;
export const pick = (value: Early): Early | null => (value === 2 ? null : value);
`,
  "aab.ts": `export interface Other { size: 2 | 3 | 1; label: "east" | "west"; zone: boolean; mid: 1; alpha: 2; omega: 3; fast: 1; slow: 2 }
export type Keys = keyof Other;
export type Part = { kind: "bike"; gears: 7 | 3 | 1 } | { kind: "van"; doors: number };
export const used: Pick<Other, "zone" | "size" | "label"> = { zone: true, size: 1, label: "east" };
`,
  "zzz.ts":
    'export type Late = "lg-app" | "lg-web" | "xs-app" | "xs-web" | "app" | "lg" | "web" | "xs";\nexport type Renamed = { newSize: 1; newLabel: 2; newZone: 3 };\n',
};

const PROJECT = { "tools.ts": TOOLS, "model.ts": MODEL };
const TSCONFIG = bytes({
  compilerOptions: { target: "ES2022", module: "nodenext", strict: true, types: [] },
  include: ["**/*.ts"],
});

describe("the same input gives the same bytes", () => {
  const reference = bytes(compileFiles(PROJECT).manifest);

  test("and holds what it should", () => {
    expect(JSON.parse(reference).tools).toHaveLength(1);
    expect(JSON.parse(reference).schemas).toHaveLength(1);
  });

  test("again in the same process", () => {
    for (let time = 0; time < 3; time++) expect(bytes(compileFiles(PROJECT).manifest)).toBe(reference);
  });

  test("after other projects were compiled in the same process", () => {
    compileFiles({ ...UNRELATED, "tools.ts": `${TOOLS.replace("Mood =", "Mood = 'first' |")}` });
    expect(bytes(compileFiles(PROJECT).manifest)).toBe(reference);
  });

  test.each(Object.keys(UNRELATED))("with the unrelated file %s beside it", (name) => {
    expect(bytes(compileFiles({ ...PROJECT, [name]: UNRELATED[name] ?? "" }).manifest)).toBe(reference);
  });

  test("with any unrelated files that say the same literals and keys in any order", () => {
    const literals = [
      "sunny",
      "gloomy",
      "brisk",
      "west",
      "east",
      "whisper",
      "feather",
      "anvil",
      "omega",
      "alpha",
      "mid",
      "xs-web",
      "lg-app",
    ];
    const keys = [
      "zone",
      "label",
      "size",
      "mood",
      "keys",
      "newZone",
      "newLabel",
      "newSize",
      "slow",
      "fast",
      "sunny",
      "gloomy",
      "brisk",
    ];
    const some = <T>(values: readonly T[]) => fc.shuffledSubarray([...values], { minLength: 2 });
    const unrelated = fc.record({
      literals: some(literals),
      numbers: some([1, 2, 3, 4, 6, 7, 9]),
      keys: some(keys),
      first: fc.boolean(),
    });
    fc.assert(
      fc.property(unrelated, ({ literals, numbers, keys, first }) => {
        const text = `export type A = ${[...literals.map((each) => `"${each}"`), ...numbers].join(" | ")};
export interface B { ${keys.map((key) => `${key}: ${numbers.join(" | ")}`).join("; ")} }
export type C = { [K in ${keys.map((key) => `"${key}"`).join(" | ")}]?: K };
export const use = (a: A, b: B, c: C): unknown => [a, b, c];
`;
        const files = { ...PROJECT, [first ? "aaa.ts" : "zzz.ts"]: text };
        expect(bytes(compileFiles(files).manifest)).toBe(reference);
      }),
      { numRuns: 25 },
    );
  });

  test("in whatever order the tsconfig names the files", () => {
    const whole = { ...PROJECT, ...UNRELATED };
    const backwards = Object.fromEntries(Object.entries(whole).reverse());
    expect(bytes(compileFiles(backwards).manifest)).toBe(bytes(compileFiles(whole).manifest));
  });

  test("in folders of different depth and name, and no path of either is in it", () => {
    const one = folderOf({ ...PROJECT, "tsconfig.json": TSCONFIG });
    const other = join(folderOf({}), "a b/ü/deep/down");
    cpSync(one, other, { recursive: true });
    const first = compileProject({ cwd: one });
    const second = compileProject({ cwd: other });
    expect(first.problems).toEqual([]);
    expect(bytes(second.manifest)).toBe(bytes(first.manifest));
    expect(bytes(first.manifest)).toBe(reference);
    expect(reference).not.toContain(tmpdir());
    expect(reference).not.toMatch(/"module": "(?:\/|[A-Za-z]:|\.\.)/);
    expect(reference).not.toContain("import(");
  });

  test("and the same problems, wherever the folder is", () => {
    const broken = {
      "tools.ts": TOOLS.replace("mood: Mood,", "mood: () => void,"),
      "model.ts": MODEL,
      "tsconfig.json": TSCONFIG,
    };
    const one = folderOf(broken);
    const other = join(folderOf({}), "elsewhere");
    cpSync(one, other, { recursive: true });
    const { problems } = compileProject({ cwd: one });
    expect(problems.length).toBeGreaterThan(0);
    expect(compileProject({ cwd: other }).problems).toEqual(problems);
  });

  test("from any current folder, with the config path relative or absolute", () => {
    const root = folderOf({
      "base.json": bytes({
        compilerOptions: { target: "ES2022", module: "esnext", moduleResolution: "bundler", strict: true, types: [] },
      }),
      "packages/app/tsconfig.json": bytes({
        extends: "../../base.json",
        compilerOptions: { paths: { "@model/*": ["../model/src/*"] } },
        include: ["src"],
      }),
      "packages/app/src/tools.ts": TOOLS.replace("./model.js", "@model/parcel"),
      "packages/model/src/parcel.ts": MODEL,
    });
    const app = join(root, "packages/app");
    const manifests = [
      compileProject({ cwd: root, project: "packages/app/tsconfig.json" }),
      compileProject({ cwd: root, project: "packages/app" }),
      compileProject({ cwd: app }),
      compileProject({ cwd: app, project: "tsconfig.json" }),
      compileProject({ cwd: join(app, "src") }),
      compileProject({ cwd: join(app, "src"), project: "../tsconfig.json" }),
      compileProject({ cwd: tmpdir(), project: join(app, "tsconfig.json") }),
    ].map(({ manifest, problems }) => bytes({ manifest, problems }));
    expect(new Set(manifests).size).toBe(1);
    expect(JSON.parse(manifests[0] ?? "{}").manifest?.tools?.[0]?.module).toBe("src/tools.ts");
  });

  test("with line ends of another system", () => {
    const crlf = Object.fromEntries(
      Object.entries(PROJECT).map(([name, text]) => [name, text.replaceAll("\n", "\r\n")]),
    );
    expect(bytes(compileFiles(crlf).manifest)).toBe(reference);
  });

  test("whatever order the tools stand in", () => {
    const tool = (name: string) =>
      `/**\n * Takes ${name}.\n * @tool\n */\nexport function ${name}(id: string): void {}\n`;
    const names = ["zeta", "Alpha", "beta", "_under", "a1"];
    const forth = compileFiles({ "tools.ts": names.map(tool).join("\n") }).manifest;
    const back = compileFiles({ "tools.ts": [...names].reverse().map(tool).join("\n") }).manifest;
    expect(bytes(back)).toBe(bytes(forth));
    expect(forth?.tools.map(({ name }) => name)).toEqual(["Alpha", "_under", "a1", "beta", "zeta"]);
  });
});

test("every fixture compiles to the same with an unrelated file beside it", { timeout: 300_000 }, () => {
  const literals = [
    "a",
    "b",
    "red",
    "green",
    "blue",
    "asc",
    "desc",
    "circle",
    "square",
    "x",
    "y",
    "zeta",
    "alpha",
    "s",
    "m",
    "small",
    "large",
  ];
  const unrelated = `export type Order = ${literals
    .reverse()
    .map((each) => `"${each}"`)
    .join(" | ")} | 3 | 2 | 1 | 10 | 0;
export interface Names { size: 1; name: 2; age: 3; id: 4; y: 5; x: 6; b: 7; a: 8; kind: 9; tags: 10 }
export type Keys = keyof Names | Order;
`;
  for (const fixture of readFixtures()) {
    if (fixture.manifest === undefined) continue;
    const overlaid = compileFixture(fixture, { extra: { "aaa-unrelated.ts": unrelated } });
    expect(overlaid.manifest, fixture.name).toBe(fixture.manifest);
  }
});
