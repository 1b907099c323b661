import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Agent } from "../agent/agent.js";
import { definitionOf } from "../agent/definition.js";
import { isSchedule, type Schedule } from "../durable/schedule.js";
import { isWorkflow, type Workflow } from "../durable/workflow.js";
import { importModule } from "../loader/import-module.js";
import { isRecord } from "../manifest/is-record.js";
import { loadManifest } from "../manifest/load-manifest.js";
import type { Manifest } from "../manifest/manifest.js";
import { type ToolFunction, toolFor } from "../manifest/tool-registry.js";
import { Schema } from "../schema.js";
import { Tool } from "../tool-class.js";
import { shownPath } from "./find-modules.js";
import { LoadError } from "./load-error.js";
import { reserveOut } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** What the modules of a project export that the command line can use. */
export interface Project {
  readonly workflows: readonly Workflow<never, unknown>[];
  readonly schedules: readonly Schedule[];
  /** By the name of the export. */
  readonly agents: ReadonlyMap<string, Agent<unknown>>;
  readonly tools: readonly Tool[];
  readonly schemas: ReadonlyMap<string, Schema<unknown>>;
  /** What `ctx.deps` of workflows holds: the export `deps`. */
  readonly deps: unknown;
  /** `callsign.manifest.json` beside one of the modules, or in `src`. */
  readonly manifest: Manifest | undefined;
  /** Paths as they are shown. */
  readonly modules: readonly string[];
}

/**
 * Imports modules and sorts what they export. Nothing they print reaches the standard output.
 *
 * @param paths Absolute.
 * @throws {UsageError} for a module of another copy of callsign; {LoadError} for one that fails while it is loaded.
 */
export async function loadProject(paths: readonly string[], cwd: string): Promise<Project> {
  reserveOut();
  const found = new Found();
  for (const path of paths) {
    requireSameCopy(path, cwd);
    found.add(await load(path, cwd));
  }
  const { workflows, schedules, agents, tools, schemas, deps } = found;
  return {
    workflows: [...workflows],
    schedules: [...schedules],
    agents,
    tools: [...tools],
    schemas,
    deps,
    manifest: findManifest(paths, cwd),
    modules: paths.map((path) => shownPath(path, cwd)),
  };
}

/** None of what refuses to be looked at: a checked environment throws where it is read at the wrong place. */
function membersOf(value: unknown): readonly (readonly [number | string, unknown])[] {
  try {
    return Array.isArray(value) ? [...value.entries()] : isRecord(value) ? Object.entries(value) : [];
  } catch {
    return [];
  }
}

async function load(path: string, cwd: string): Promise<object> {
  try {
    return await importModule(pathToFileURL(path).href);
  } catch (error) {
    throw new LoadError(shownPath(path, cwd), { cause: error, cwd });
  }
}

/** Sorts exports. A list or record of things stands for the things in it; everything else is the module's own. */
class Found {
  readonly workflows = new Set<Workflow<never, unknown>>();
  readonly schedules = new Set<Schedule>();
  readonly agents = new Map<string, Agent<unknown>>();
  readonly tools = new Set<Tool>();
  readonly schemas = new Map<string, Schema<unknown>>();
  deps: unknown;

  add(exports: object): void {
    for (const [name, value] of Object.entries(exports)) {
      if (name === "deps") this.deps = value;
      else if (!this.#take(name, value)) {
        for (const [key, member] of membersOf(value))
          this.#take(typeof key === "number" ? `${name}[${key}]` : key, member);
      }
    }
  }

  #take(name: string, value: unknown): boolean {
    if (isWorkflow(value)) this.workflows.add(value as unknown as Workflow<never, unknown>);
    else if (isSchedule(value)) this.schedules.add(value);
    else if (definitionOf(value) !== undefined) this.agents.set(name, value as Agent<unknown>);
    else if (value instanceof Tool) this.tools.add(value);
    else if (value instanceof Schema) this.schemas.set(value.name, value);
    else {
      const tool = typeof value === "function" ? toolFor(value as ToolFunction) : undefined;
      if (tool === undefined) return false;
      this.tools.add(tool);
    }
    return true;
  }
}

/** What was made by one copy of callsign is unknown to another: workflows would run, and remember nothing. */
function requireSameCopy(path: string, cwd: string): void {
  const own = packageFolder();
  let others: string;
  try {
    others = dirname(realpathSync(createRequire(path).resolve("@callsign/runtime/package.json")));
  } catch {
    return;
  }
  if (own === undefined || others === own) return;
  throw new UsageError(
    `${shownPath(path, cwd)} uses another copy of @callsign/runtime than this command: ${others}, not ${own}`,
    "run the command in the folder of that module's package, or by a script of its package.json",
  );
}

/** The folder of this package; undefined where it runs from its source. */
function packageFolder(): string | undefined {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) {
      const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { name?: string };
      return name === "@callsign/runtime" ? realpathSync(folder) : undefined;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

function findManifest(paths: readonly string[], cwd: string): Manifest | undefined {
  const folders = [...paths.map((path) => dirname(path)), cwd, join(cwd, "src")];
  const found = folders.map((folder) => join(folder, "callsign.manifest.json")).find(existsSync);
  return found === undefined ? undefined : loadManifest(found);
}
