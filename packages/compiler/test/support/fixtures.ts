import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonSchema, Manifest } from "@callsign/runtime/manifest";
import { checkTargets } from "../../src/check/check-targets.js";
import type { CompileOptions, CompileResult } from "../../src/compile-options.js";
import { compileProject } from "../../src/compile-project.js";
import { formatText } from "../../src/reports/text.js";

export const FIXTURES = fileURLToPath(new URL("../../../../fixtures", import.meta.url));

/** One folder of `fixtures/`: the case, and what it must come to. */
export interface Fixture {
  readonly name: string;
  readonly folder: string;
  /** The expected manifest, byte for byte; undefined when the case must fail. */
  readonly manifest: string | undefined;
  /** The expected report in text form; undefined when there is nothing to report. */
  readonly errors: string | undefined;
  /** Argument samples by tool, schema or workflow. */
  readonly calls: Readonly<Record<string, { readonly valid?: unknown[]; readonly invalid?: unknown[] }>>;
}

/** What a fixture compiles to, in the form of its expected files. */
export interface Outcome {
  readonly result: CompileResult;
  readonly manifest: string | undefined;
  readonly errors: string | undefined;
}

export function readFixtures(): readonly Fixture[] {
  const only = process.env.FIXTURE?.split(",");
  return readdirSync(FIXTURES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && (only === undefined || only.includes(entry.name)))
    .map(({ name }) => readFixture(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function readFixture(name: string): Fixture {
  const folder = join(FIXTURES, name);
  const calls = read(folder, "calls.json");
  return {
    name,
    folder,
    manifest: read(folder, "manifest.json"),
    errors: read(folder, "errors.txt"),
    calls: calls === undefined ? {} : (JSON.parse(calls) as Fixture["calls"]),
  };
}

/** What a fixture may be compiled with besides its own options. */
export interface FixtureOptions {
  /** See `OpenOptions`. */
  readonly keepDom?: boolean;
  /** Files that are added, by name. */
  readonly extra?: Readonly<Record<string, string>>;
}

/** Compiles a fixture: with its own `tsconfig.json` and `options.json`, or the usual ones. */
export function compileFixture({ folder }: Pick<Fixture, "folder">, options: FixtureOptions = {}): Outcome {
  const { extra = {}, ...more } = options;
  const own = JSON.parse(read(folder, "options.json") ?? "{}") as CompileOptions;
  const overlay = new Map(Object.entries(extra).map(([name, text]) => [join(folder, name), text]));
  if (!existsSync(join(folder, "tsconfig.json"))) {
    overlay.set(join(folder, "tsconfig.json"), defaultConfig(folder, Object.keys(extra)));
  }
  const steps = own.targets === undefined ? {} : { checkTargets };
  const result = compileProject({ ...own, cwd: folder, overlay, ...steps, ...more });
  return {
    result,
    manifest: result.manifest === undefined ? undefined : `${JSON.stringify(result.manifest, null, 2)}\n`,
    errors: result.problems.length === 0 ? undefined : formatText(result.problems),
  };
}

/** Rewrites the expected files of a fixture. */
export function updateFixture({ folder }: Fixture, { manifest, errors }: Outcome): void {
  for (const [name, text] of [
    ["manifest.json", manifest],
    ["errors.txt", errors],
  ] as const) {
    if (text === undefined) rmSync(join(folder, name), { force: true });
    else writeFileSync(join(folder, name), text);
  }
}

/** Every schema of a manifest, with a name for messages. */
export function schemasOf(manifest: Manifest): readonly { readonly name: string; readonly schema: JsonSchema }[] {
  return [
    ...manifest.tools.map(({ name, parameters }) => ({ name, schema: parameters })),
    ...manifest.tools.flatMap(({ name, returns }) =>
      returns === undefined ? [] : [{ name: `${name}() →`, schema: returns }],
    ),
    ...manifest.schemas.map(({ name, schema }) => ({ name, schema })),
    ...manifest.workflows.flatMap(({ name, input }) => (input === undefined ? [] : [{ name, schema: input }])),
  ];
}

// A fixture that needs more of the runtime than the runtime has brings a `runtime/` folder that stands for it.
function defaultConfig(folder: string, extra: readonly string[]): string {
  const runtime = existsSync(join(folder, "runtime")) ? "./runtime/index.d.ts" : "../../packages/runtime/src/index.ts";
  return JSON.stringify({
    compilerOptions: {
      target: "ES2022",
      lib: ["ES2022", "DOM"],
      module: "nodenext",
      moduleResolution: "nodenext",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      paths: { "@callsign/runtime": [runtime] },
    },
    // Files that stand only in an overlay are found by name alone.
    ...(extra.length === 0 ? {} : { files: extra, include: ["**/*"] }),
  });
}

function read(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
