import type { JsonSchema } from "@callsign/runtime/manifest";
import { lowerOutput, lowerTool, outputWire, type TargetName } from "@callsign/runtime/providers";
import type { WireForm } from "../inspect-file.js";

/** What each target would get of a tool or a structured-output format that is in no manifest. */
export function wireOf(
  made: {
    readonly kind: "tool" | "schema";
    readonly name: string;
    readonly description: string;
    readonly schema: JsonSchema;
  },
  targets: readonly TargetName[],
): Readonly<Partial<Record<TargetName, WireForm>>> {
  const { kind, name, description, schema } = made;
  const named = { name, ...(description === "" ? {} : { description }) };
  const lower = (target: TargetName): WireForm =>
    kind === "tool"
      ? lowerTool({ ...named, module: "", export: name, parameters: schema, call: [] }, target).wire
      : outputWire(lowerOutput({ ...named, schema }, target), target);
  return Object.fromEntries(targets.map((target) => [target, lower(target)]));
}
