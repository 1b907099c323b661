import type { Json } from "../manifest/json-schema.js";
import type { ManifestTool } from "../manifest/manifest.js";
import type { TargetName } from "../model/lowered.js";
import { type Answer, json, RequestError, type ServerRequest } from "./answer.js";
import type { AppContext } from "./app.js";

/** `/tools`: every tool of the manifest, and the targets that it can be shown for. */
export async function listTools({ manifest }: AppContext): Promise<Answer> {
  const { targets } = await import("../providers/targets.js");
  return json({ tools: (manifest?.tools ?? []) as unknown as Json, targets: Object.keys(targets) });
}

/**
 * `/tools/NAME`: one tool as the manifest has it; with `?target=` as that provider gets it.
 *
 * @throws {RequestError} 400, 404.
 */
export async function showTool(name: string, { query }: ServerRequest, { manifest }: AppContext): Promise<Answer> {
  const tools = manifest?.tools ?? [];
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) {
    const known = tools.map((each) => each.name).join(", ") || "none";
    throw new RequestError(404, "tool-unknown", `there is no tool ${JSON.stringify(name)}; there are ${known}`);
  }
  const target = query.get("target");
  return json(target === null ? (tool as unknown as Json) : await lowered(tool, target));
}

async function lowered(tool: ManifestTool, target: string): Promise<Json> {
  const { lowerTool, targets } = await import("../providers/targets.js");
  if (!Object.hasOwn(targets, target)) {
    throw new RequestError(400, "query-refused", `target must be one of ${Object.keys(targets).join(", ")}`);
  }
  const { target: used, strict, wire, dropped, notes } = lowerTool(tool, target as TargetName);
  return { name: tool.name, target, used, strict, wire, dropped, notes } as unknown as Json;
}
