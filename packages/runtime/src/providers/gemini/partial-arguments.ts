import type { Json } from "../../manifest/json-schema.js";
import { setOwn } from "../lowering/shapes.js";

/** A piece of a call's arguments, as Vertex streams them when asked to. */
export interface PartialArgument {
  readonly jsonPath?: string;
  readonly stringValue?: string;
  readonly numberValue?: number;
  readonly boolValue?: boolean;
  readonly nullValue?: unknown;
}

type Open = { [key: string]: Json } | Json[];

/** Writes a piece to its place (`$.items[0].name`); strings come in several pieces and are joined. */
export function addPartialArgument(args: { [key: string]: Json }, piece: PartialArgument): void {
  const path = [...(piece.jsonPath ?? "").matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]/g)].map(
    ([, name, index, quoted]) => (index === undefined ? (name ?? quoted!.replaceAll(/\\(.)/g, "$1")) : Number(index)),
  );
  const last = path.pop();
  if (last === undefined) return;
  let place: Open = args;
  for (const [position, step] of path.entries()) {
    const next = path[position + 1] ?? last;
    const found: Json | undefined = at(place, step);
    if (typeof found === "object" && found !== null) place = found as Open;
    else {
      const created: Open = typeof next === "number" ? [] : {};
      put(place, step, created);
      place = created;
    }
  }
  const value = piece.stringValue ?? piece.numberValue ?? piece.boolValue ?? null;
  const before = at(place, last);
  put(place, last, typeof before === "string" && typeof value === "string" ? before + value : value);
}

function at(place: Open, step: string | number): Json | undefined {
  if (Array.isArray(place)) return place[Number(step)];
  return Object.hasOwn(place, step) ? place[String(step)] : undefined;
}

function put(place: Open, step: string | number, value: Json): void {
  if (!Array.isArray(place)) setOwn(place, String(step), value);
  // No holes, and no length that a number in a path could blow up.
  else if (Number(step) <= place.length) place[Number(step)] = value;
}
