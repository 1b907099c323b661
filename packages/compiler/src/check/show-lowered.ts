import type { ManifestSchema, ManifestTool } from "@callsign/runtime/manifest";
import { type DroppedKeyword, lowerOutput, lowerTool, outputWire, type TargetName } from "@callsign/runtime/providers";
import type { LoweredSize } from "../compile-options.js";
import type { WireForm } from "../inspect-file.js";
import { measureTool } from "./measure-tool.js";

/** An entry of the manifest as one target gets it, and what that cost. */
export interface ShownLowering extends Pick<LoweredSize, "strict" | "bytes" | "estimatedTokens"> {
  readonly asked: TargetName;
  /** The form that is sent: the plain one where strict was not possible. */
  readonly target: TargetName;
  readonly wire: WireForm;
  readonly dropped: readonly DroppedKeyword[];
  readonly notes: readonly string[];
}

export function lowerEntry(
  entry: ({ readonly kind: "tool" } & ManifestTool) | ({ readonly kind: "schema" } & ManifestSchema),
  asked: TargetName,
): ShownLowering {
  const { wire, target, strict, dropped, notes } =
    entry.kind === "tool" ? lowerTool(entry, asked) : format(entry, asked);
  return { asked, target, wire, strict, dropped, notes, ...measureTool(wire) };
}

function format(schema: ManifestSchema, asked: TargetName) {
  const lowered = lowerOutput(schema, asked);
  return { ...lowered, wire: outputWire(lowered, asked) };
}

/** For people: the wire form, then whether it is strict, and what of the schema it does not say. */
export function formatLowered(lowered: ShownLowering): string[] {
  const { asked, target, wire, strict, dropped, notes, bytes, estimatedTokens } = lowered;
  const wanted = asked.endsWith("-strict");
  const strictness = strict ? "strict" : wanted ? `not strict: sent as ${target}` : "not strict";
  const json = JSON.stringify(wire, null, 2).replaceAll(/^/gm, "  ");
  return [
    "",
    `${asked} gets (${strictness}; ${bytes} bytes, about ${estimatedTokens} tokens)`,
    json,
    ...(notes.length === 0 ? [] : ["", "notes", ...notes.map((note) => `  ${note}`)]),
    ...(dropped.length === 0
      ? []
      : [
          "",
          "said in the description only, and checked by the runtime",
          ...dropped.map(
            ({ pointer, keyword, value }) =>
              `  ${pointer === "" ? "(root)" : pointer} ${keyword} ${JSON.stringify(value)}`,
          ),
        ]),
  ];
}
