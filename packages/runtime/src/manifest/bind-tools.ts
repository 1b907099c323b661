import { ManifestError, type ManifestIssue } from "../errors/manifest-error.js";
import {
  ambiguousImplementation,
  implementationNoFunction,
  instanceNeeded,
  missingImplementation,
  unknownImplementation,
  workerModuleUnknown,
  workerNeedsExport,
} from "../errors/messages.js";
import { Tool, type ToolDefinition } from "../tool-class.js";
import type { ToolContext } from "../tool-context.js";
import { setOwn } from "../validation/set-own.js";
import { fillSlot } from "./fill-slot.js";
import type { Manifest, ManifestTool } from "./manifest.js";
import { type ModulePlaces, placeModules, placeOf } from "./module-places.js";
import { readMember } from "./read-member.js";
import { registerInstanceMethod, registerTool, type ToolFunction } from "./tool-registry.js";
import { warnOfStaleManifest } from "./warn-stale.js";

/** What implements the tools, by export (`add`; a class, an object or an instance for its members) or by tool name. */
export type Implementations = Readonly<Record<string, unknown>>;

/**
 * Joins the manifest's tools with their functions. Each function is registered, so that it can be passed as it is where
 * a tool is due; the functions themselves are not changed.
 *
 * @param implementations By export: `add`, `Service.run`, `Service#run`; `Service` stands for all tools of a class or
 *   object, and is an instance when one of them is an instance method. Or by tool name, where exports are not unique.
 * @param options `partial`: tools without an implementation are left out; else they are an error. `workers`: where threads
 *   load the modules of tools marked `@worker`; the module that `callsignc build` writes says it by itself.
 * @returns The tools by tool name.
 * @throws {ManifestError} with every implementation that is unknown, missing, ambiguous or no function.
 *
 * @example
 * import { agent, bindTools, loadManifest } from "@callsign/runtime"
 *
 * const add = (a: number, b: number) => a + b
 * const multiply = (a: number, b: number) => a * b
 * const tools = bindTools(loadManifest("src/callsign.manifest.json"), { add, multiply })
 * const assistant = agent("Compute.", { model: "anthropic/claude-sonnet-5-5", tools: [add, multiply] })
 */
export function bindTools(
  manifest: Manifest,
  implementations: Implementations,
  options: { readonly partial?: boolean; readonly workers?: ModulePlaces } = {},
): Readonly<Record<string, Tool>> {
  if (options.workers !== undefined) placeModules(manifest, options.workers);
  const issues: ManifestIssue[] = findBadKeys(manifest, implementations);
  const found: { manifestTool: ManifestTool; implementation: Implementation }[] = [];
  for (const [index, manifestTool] of manifest.tools.entries()) {
    const implementation = findImplementation(manifestTool, implementations, `/tools/${index}`);
    if ("issue" in implementation) issues.push(implementation.issue);
    else if ("call" in implementation) {
      found.push({ manifestTool, implementation });
      issues.push(...findWorkerIssues(manifestTool, `/tools/${index}`));
    } else if (options.partial !== true) {
      issues.push(missingImplementation(manifestTool.name, manifestTool.export, `/tools/${index}`));
    }
  }
  if (issues.length > 0) throw new ManifestError(issues);
  const bound: Record<string, Tool> = Object.create(null);
  for (const { manifestTool, implementation } of found)
    setOwn(bound, manifestTool.name, bindOne(manifestTool, implementation));
  warnOfStaleManifest(found.map(({ manifestTool, implementation: { call } }) => ({ tool: manifestTool, call })));
  return Object.freeze(bound);
}

interface Implementation {
  readonly call: ToolFunction;
  /** What `this` is inside the function. */
  readonly owner: unknown;
  readonly isInstanceMethod: boolean;
}

function bindOne(manifestTool: ManifestTool, { call, owner, isInstanceMethod }: Implementation): Tool {
  const definition: ToolDefinition<Record<string, unknown>, unknown> = {
    name: manifestTool.name,
    parameters: manifestTool.parameters,
    execute:
      manifestTool.worker === true
        ? (args, context) => callInWorker(manifestTool, args, context)
        : (args, context) =>
            Reflect.apply(
              call,
              owner,
              manifestTool.call.map((slot) => fillSlot(slot, args, context)),
            ),
    ...(manifestTool.description === undefined ? {} : { description: manifestTool.description }),
    ...(manifestTool.returns === undefined ? {} : { returns: manifestTool.returns }),
  };
  const tool = new Tool(definition, manifestTool);
  if (isInstanceMethod) registerInstanceMethod(call);
  else registerTool(call, tool);
  return tool;
}

/** A thread loads the function by itself, so it needs a module, and an export that is not bound to an object here. */
function findWorkerIssues(tool: ManifestTool, pointer: string): ManifestIssue[] {
  if (tool.worker !== true) return [];
  if (tool.export.includes("#")) return [workerNeedsExport(tool.name, pointer)];
  return placeOf(tool) === undefined ? [workerModuleUnknown(tool.name, tool.module, pointer)] : [];
}

async function callInWorker(tool: ManifestTool, args: Record<string, unknown>, context: ToolContext): Promise<unknown> {
  const { runInWorker } = await import("../workers/run-in-worker.js");
  return runInWorker(tool, args, { module: placeOf(tool) as URL, context });
}

/** `Service#run` → owner `Service`, member `run`. */
function readExport(exported: string): { owner: string; member?: string; isInstanceMethod: boolean } {
  const match = /^([^.#]+)([.#])(.+)$/.exec(exported);
  if (match?.[1] === undefined || match[3] === undefined) return { owner: exported, isInstanceMethod: false };
  return { owner: match[1], member: match[3], isInstanceMethod: match[2] === "#" };
}

function findImplementation(
  tool: ManifestTool,
  implementations: Implementations,
  pointer: string,
): Implementation | { issue: ManifestIssue } | { absent: true } {
  const { owner, member, isInstanceMethod } = readExport(tool.export);
  const direct = [tool.name, tool.export].find((key) => Object.hasOwn(implementations, key));
  const directValue = direct === undefined ? undefined : implementations[direct];
  // `{ Service: instance }` may also be a tool that is named like its class.
  if (direct !== undefined && (member === undefined || direct !== owner)) {
    if (typeof directValue === "function") {
      return { call: directValue as ToolFunction, owner: undefined, isInstanceMethod: false };
    }
    const key = JSON.stringify(direct);
    if (directValue === undefined) return { issue: missingImplementation(tool.name, direct, pointer) };
    return { issue: implementationNoFunction(tool.name, key, { value: directValue, pointer }) };
  }
  if (member === undefined || !Object.hasOwn(implementations, owner)) return { absent: true };
  const given = implementations[owner];
  if (given === undefined || given === null) return { issue: missingImplementation(tool.name, owner, pointer) };
  if (isInstanceMethod && typeof given === "function") return { issue: instanceNeeded(tool.name, owner, pointer) };
  const holder = isInstanceMethod ? given : staticHolder(given, member);
  const call = readMember(holder, member);
  return typeof call === "function"
    ? { call: call as ToolFunction, owner: holder, isInstanceMethod }
    : { issue: implementationNoFunction(tool.name, `${owner}.${member}`, { value: call, pointer }) };
}

/** Of an instance, its static members are on its class. */
function staticHolder(given: unknown, member: string): unknown {
  if (typeof given === "function" || typeof given !== "object" || given === null) return given;
  const ownClass = (given as { constructor?: unknown }).constructor;
  const isOfClass = typeof ownClass === "function" && ownClass !== Object;
  return isOfClass && typeof readMember(given, member) !== "function" ? ownClass : given;
}

function findBadKeys(manifest: Manifest, implementations: Implementations): ManifestIssue[] {
  const toolsByKey = new Map<string, Set<ManifestTool>>();
  for (const tool of manifest.tools) {
    for (const key of new Set([tool.name, tool.export, readExport(tool.export).owner])) {
      toolsByKey.set(key, (toolsByKey.get(key) ?? new Set()).add(tool));
    }
  }
  return Object.keys(implementations).flatMap((key) => {
    const tools = [...(toolsByKey.get(key) ?? [])];
    if (tools.length === 0)
      return [
        unknownImplementation(
          key,
          manifest.tools.map((tool) => tool.export),
        ),
      ];
    const isName = tools.some((tool) => tool.name === key && tool.export !== key);
    const modules = new Set(
      tools.filter((tool) => tool.name !== key || tool.export === key).map((tool) => tool.module),
    );
    // A name that is one tool's name and another one's export could be either.
    return modules.size + (isName ? 1 : 0) > 1
      ? [
          ambiguousImplementation(
            key,
            tools.map((tool) => tool.name),
          ),
        ]
      : [];
  });
}
