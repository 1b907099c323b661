import type { Checker, Place } from "../checker/checker.js";

/** Where a type stands inside a signature: what messages call it, and the place that they point at. */
export interface TypeSite {
  /** What the path starts from: a tool, a schema or a workflow. */
  readonly owner: string;
  readonly role: "parameter" | "return" | "schema";
  /** As in `filter.where.callback`, `items[].sku`, `pair[1]`. */
  readonly path: string;
  /** The smallest place that the author can edit. */
  readonly place: Place;
  /** The type as written there, for the order of unions. */
  readonly written: Place | undefined;
  /** Where the part at fault is declared, when the author cannot edit it. */
  readonly foreign: Place | undefined;
}

/** Longer paths are cut in the middle: they would fill the screen. */
const LONGEST_PATH = 400;

/** `search(filter.where)`, `weather() → days[]`, `Order.items[]`. */
export function printPath({ owner, role, path: whole }: TypeSite): string {
  const path =
    whole.length <= LONGEST_PATH ? whole : `${whole.slice(0, LONGEST_PATH / 2)}…${whole.slice(-LONGEST_PATH / 2)}`;
  if (role === "parameter") return `${owner}(${path})`;
  const separator = path === "" || /^[[{]/.test(path) ? "" : role === "schema" ? "." : " ";
  if (role === "return") return path === "" ? `${owner}() →` : `${owner}() → ${path}`;
  return `${owner}${separator}${path}`;
}

/** The site of a named member. */
export function memberSite(
  site: TypeSite,
  member: { readonly name: string; readonly place: Place | undefined; readonly written: Place | undefined },
  checker: Checker,
): TypeSite {
  const step = memberPath(site.path, member.name).slice(site.path.length);
  return deeper(site, { ...member, step }, checker);
}

/** The path of a named member; `[Symbol.iterator]` stands for itself. */
export function memberPath(path: string, name: string): string {
  if (/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) return `${path}${path === "" ? "" : "."}${name}`;
  return `${path}[${name.startsWith("[") ? name.slice(1, -1) : JSON.stringify(name)}]`;
}

/** A path and further steps. */
export function joinPath(path: string, steps: string): string {
  return path === "" && steps.startsWith(".") ? steps.slice(1) : `${path}${steps}`;
}

/** The site of an array's elements. */
export function elementSite(site: TypeSite, written: Place | undefined, checker: Checker): TypeSite {
  return deeper(site, { step: "[]", place: written, written }, checker);
}

/** The site of one tuple element. */
export function slotSite(
  site: TypeSite,
  slot: { readonly index: number; readonly place: Place | undefined; readonly written: Place | undefined },
  checker: Checker,
): TypeSite {
  return deeper(site, { step: `[${slot.index}]`, place: slot.place, written: slot.written }, checker);
}

/** The site of the values of a dictionary. */
export function valueSite(site: TypeSite, written: Place | undefined, checker: Checker): TypeSite {
  return deeper(site, { step: "{}", place: written, written }, checker);
}

/** The same type seen through a name or wrapper: the path stays. */
export function sameSite(site: TypeSite, written: Place | undefined): TypeSite {
  return written === site.written ? site : { ...site, written };
}

function deeper(
  site: TypeSite,
  { step, place, written }: { step: string; place: Place | undefined; written: Place | undefined },
  checker: Checker,
): TypeSite {
  const precise = written !== undefined && checker.isEditable(written) ? written : place;
  const editable = precise !== undefined && checker.isEditable(precise);
  return {
    owner: site.owner,
    role: site.role,
    path: `${site.path}${step}`,
    place: editable ? precise : site.place,
    written,
    foreign: editable ? undefined : (precise ?? site.foreign),
  };
}
