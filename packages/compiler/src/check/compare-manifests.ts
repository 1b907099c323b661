import { isDeepStrictEqual } from "node:util";
import type {
  Json,
  JsonSchema,
  Manifest,
  ManifestSchema,
  ManifestTool,
  ManifestWorkflow,
} from "@callsign/runtime/manifest";
import { compareSchemas } from "./compare-schemas.js";

/** One thing in which two manifests differ. */
export interface ManifestDifference {
  readonly kind: "tool" | "schema" | "workflow";
  /** The name of the tool, schema or workflow. After a rename the new one. */
  readonly name: string;
  /** As in a signature: `search(filter.where)`, `weather() → days[]`, `Forecast.days[]`; the name alone for the whole. */
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  /** What changed at `path`: `tool`, `property`, `type`, `presence`, `description`, a JSON Schema keyword, … */
  readonly what: string;
  readonly before?: Json;
  readonly after?: Json;
  /**
   * Whether something that worked may fail: a caller's arguments are refused that were taken, or a result comes that
   * its reader did not have to expect.
   */
  readonly breaking: boolean;
}

/**
 * Lists the differences between two manifests, by kind and name. Pure.
 *
 * Arguments and workflow inputs break when they take less than before, returned values and structured outputs when
 * they can be more than before. Texts never break.
 */
export function compareManifests(before: Manifest, after: Manifest): ManifestDifference[] {
  return [
    ...compareLists<ManifestTool>("tool", before.tools, after.tools, compareTools),
    ...compareLists<ManifestSchema>("schema", before.schemas, after.schemas, (from, to) => [
      ...compareFields("schema", from, to, ["description", "module", "export"]),
      ...compareBoth(from.schema, to.schema, {
        kind: "schema",
        name: to.name,
        place: namePlace(to.name),
        side: "output",
      }),
    ]),
    ...compareLists<ManifestWorkflow>("workflow", before.workflows, after.workflows, (from, to) => [
      ...compareFields("workflow", from, to, ["description", "module", "export"]),
      ...compareBoth(from.input, to.input, {
        kind: "workflow",
        name: to.name,
        place: argumentPlace(to.name),
        side: "input",
      }),
    ]),
  ];
}

type Entry = ManifestTool | ManifestSchema | ManifestWorkflow;
type Kind = ManifestDifference["kind"];

function compareLists<E extends Entry>(
  kind: Kind,
  before: readonly E[],
  after: readonly E[],
  compareEntries: (before: E, after: E) => ManifestDifference[],
): ManifestDifference[] {
  const differences: ManifestDifference[] = [];
  const removed = before.filter((entry) => !after.some(({ name }) => name === entry.name));
  for (const entry of after) {
    const same = before.find(({ name }) => name === entry.name);
    const former = same ?? removed.find((other) => isSameExport(other, entry));
    if (former === undefined) {
      differences.push({ kind, name: entry.name, path: entry.name, change: "added", what: kind, breaking: false });
      continue;
    }
    if (same === undefined) {
      removed.splice(removed.indexOf(former), 1);
      differences.push({
        kind,
        name: entry.name,
        path: entry.name,
        change: "changed",
        what: "name",
        before: former.name,
        after: entry.name,
        breaking: true,
      });
    }
    differences.push(...compareEntries(former, entry));
  }
  for (const { name } of removed) {
    differences.push({ kind, name, path: name, change: "removed", what: kind, breaking: true });
  }
  return differences.sort((a, b) => compareCodePoints(a.name, b.name));
}

function isSameExport(a: Entry, b: Entry): boolean {
  return a.export !== undefined && a.module === b.module && a.export === b.export;
}

function compareTools(before: ManifestTool, after: ManifestTool): ManifestDifference[] {
  const { name } = after;
  return [
    ...compareFields("tool", before, after, [
      "description",
      "module",
      "export",
      "deprecated",
      "call",
      "streams",
      "once",
      "worker",
      "sequential",
      "requiresApproval",
    ]),
    ...compareBoth(before.parameters, after.parameters, {
      kind: "tool",
      name,
      place: argumentPlace(name),
      side: "input",
    }),
    ...compareBoth(before.returns, after.returns, { kind: "tool", name, place: resultPlace(name), side: "output" }),
  ];
}

/** Fields that say how a tool is described or run; what it takes and gives stays the same. */
function compareFields<E extends Entry>(
  kind: Kind,
  before: E,
  after: E,
  fields: readonly (keyof E & string)[],
): ManifestDifference[] {
  return fields
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({
      kind,
      name: after.name,
      path: after.name,
      change: before[field] === undefined ? "added" : after[field] === undefined ? "removed" : "changed",
      what: field,
      ...(before[field] === undefined ? {} : { before: before[field] as Json }),
      ...(after[field] === undefined ? {} : { after: after[field] as Json }),
      // A stream gives its elements one by one: who read one value must now read many, or the other way round.
      breaking: field === "streams",
    }));
}

interface Site {
  readonly kind: Kind;
  readonly name: string;
  /** Turns a path inside the schema into one inside the signature. */
  readonly place: (path: string) => string;
  readonly side: "input" | "output";
}

function compareBoth(
  before: JsonSchema | undefined,
  after: JsonSchema | undefined,
  { kind, name, place, side }: Site,
): ManifestDifference[] {
  if (before === undefined && after === undefined) return [];
  if (before === undefined || after === undefined) {
    const what = side === "input" ? "input" : "returns";
    const change = before === undefined ? "added" : "removed";
    // Undescribed is anything: describing an input refuses some of it, no longer describing an output promises less.
    const breaking = side === "input" ? before === undefined : after === undefined;
    return [{ kind, name, path: place(""), change, what, breaking }];
  }
  return compareSchemas(before, after).map(({ path, narrows, widens, ...change }) => ({
    kind,
    name,
    path: place(path),
    ...change,
    breaking: side === "input" ? narrows : widens,
  }));
}

function argumentPlace(name: string): Site["place"] {
  return (path) => `${name}(${path})`;
}

function resultPlace(name: string): Site["place"] {
  return (path) => `${name}()${path === "" ? " → result" : ` → ${path}`}`;
}

function namePlace(name: string): Site["place"] {
  return (path) => (path === "" || path.startsWith("[") || path.startsWith("{") ? `${name}${path}` : `${name}.${path}`);
}

function compareCodePoints(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
