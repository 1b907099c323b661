import type { Json, JsonSchema, Manifest, ManifestSchema, ManifestTool } from "@callsign/runtime/manifest";
import {
  type DroppedKeyword,
  type LoweredSchema,
  type LoweredTool,
  lowerOutput,
  lowerTool,
  lowerTools,
  type TargetName,
  targets as targetTable,
} from "@callsign/runtime/providers";
import type { CompileOptions, LoweredSize } from "../compile-options.js";
import type { Reporter } from "../discover/reporter.js";
import type { Fault } from "../errors/messages.js";
import * as messages from "../errors/target-messages.js";
import type { SchemaPlaces } from "../schema/schema-places.js";
import { measureTool } from "./measure-tool.js";

/** What is checked, and where what is found goes. */
export interface CheckedManifest {
  readonly manifest: Manifest;
  /** By `tool NAME` and `schema NAME`. */
  readonly places: ReadonlyMap<string, SchemaPlaces>;
  readonly reporter: Reporter;
}

/** Reports what the targets would refuse or lose. */
export type TargetChecker = typeof checkTargets;

/**
 * A description of a page takes some 2,000 bytes, so this is a tool several times as large as a large one; it costs
 * each request about 4,000 tokens.
 */
const MAX_TOOL_BYTES = 16_384;

/** Tools in one request, by the first word of the target. Source: 400 `array_above_max_length`. */
const MAX_TOOLS: Readonly<Record<string, number>> = { openai: 128 };

/** Outermost properties of a tool, by the first word of the target. Source: 400 "Property keys should match pattern". */
const PROPERTY_NAMES: Readonly<Record<string, RegExp>> = { anthropic: /^[a-zA-Z0-9_.-]{1,64}$/ };

/**
 * Lowers every tool and schema for every target, and reports now what a provider would refuse or lose at run time.
 *
 * @returns What each tool takes of a request.
 */
export function checkTargets(
  checked: CheckedManifest,
  options: Pick<CompileOptions, "targets" | "maxToolBytes">,
): readonly LoweredSize[] {
  const known = Object.keys(targetTable);
  const wanted = [...new Set(options.targets)];
  const targets = wanted.filter((target) => known.includes(target));
  for (const target of wanted.filter((each) => !known.includes(each))) {
    checked.reporter.add(messages.targetUnknown(target, known));
  }
  const maxBytes = options.maxToolBytes ?? MAX_TOOL_BYTES;
  for (const schema of checked.manifest.schemas) checkSchema(schema, { checked, targets });
  const sizes = checked.manifest.tools.flatMap((tool) => checkTool(tool, { checked, targets, maxBytes }));
  checkRequest(checked, targets);
  return sizes;
}

interface Checking {
  readonly checked: CheckedManifest;
  readonly targets: readonly TargetName[];
}

/** A schema of the manifest, as its problems name it. */
interface Subject {
  readonly kind: "tool" | "schema";
  readonly name: string;
  readonly schema: JsonSchema;
}

function checkTool(
  tool: ManifestTool,
  { checked, targets, maxBytes }: Checking & { readonly maxBytes: number },
): LoweredSize[] {
  const subject: Subject = { kind: "tool", name: tool.name, schema: tool.parameters };
  const lowered = targets.map((target) => ({ target, lowered: lowerTool(tool, target) }));
  checkLowered(subject, lowered, checked);
  checkPropertyNames(subject, targets, checked);
  const sizes = lowered.map(({ target, lowered: { wire, strict } }) => ({
    tool: tool.name,
    target,
    strict,
    ...measureTool(wire),
  }));
  const large = sizes.filter(({ bytes }) => bytes > maxBytes);
  if (large.length > 0) {
    const said = large.map(
      ({ target, bytes, estimatedTokens }) => `${bytes} bytes, about ${estimatedTokens} tokens (${target})`,
    );
    report(messages.targetToolSize(said.join("; "), maxBytes), { subject }, checked);
  }
  return sizes;
}

function checkSchema(schema: ManifestSchema, { checked, targets }: Checking): void {
  const subject: Subject = { kind: "schema", name: schema.name, schema: schema.schema };
  const lowered = targets.map((target) => ({ target, lowered: lowerOutput(schema, target) }));
  checkLowered(subject, lowered, checked);
  const wrapped = lowered.filter((each) => isWrapped(schema.schema, each.lowered.schema)).map(({ target }) => target);
  if (wrapped.length > 0) report(messages.targetRoot(listed(wrapped)), { subject }, checked);
  for (const [sent, names] of grouped(lowered, (each) => each.lowered.name)) {
    if (sent === schema.name) continue;
    const renaming = { sent, targets: listed(names.map(({ target }) => target)) };
    report(messages.targetSchemaName(schema.name, renaming), { subject }, checked);
  }
}

/** A root that is no object was put into one. */
function isWrapped(neutral: JsonSchema, wire: LoweredSchema["schema"]): boolean {
  const root = neutral.$ref === undefined ? neutral : (neutral.$defs?.[neutral.$ref.slice("#/$defs/".length)] ?? {});
  return (root.type !== "object" || root.anyOf !== undefined) && wire.type === "object";
}

function checkLowered(
  subject: Subject,
  lowered: readonly { readonly target: TargetName; readonly lowered: LoweredSchema }[],
  checked: CheckedManifest,
): void {
  const losses = lowered.flatMap(({ target, lowered: { dropped } }) =>
    dropped.filter((loss) => !isOwnClosing(loss)).map((loss) => ({ ...loss, target })),
  );
  for (const [pointer, here] of grouped(losses, (loss) => loss.pointer)) {
    const said = [...grouped(here, ({ keyword, value }) => `${keyword} ${shown(value)}`)].map(
      ([text, each]) => `${text} (${each.map(({ target }) => target).join(", ")})`,
    );
    report(messages.targetKeyword(said), { subject, pointer }, checked);
  }
  for (const { target, lowered: made } of lowered) {
    if (!target.endsWith("-strict") || made.strict) continue;
    report(messages.targetNotStrict(target, { fallback: made.target, reasons: reasonsOf(made) }), { subject }, checked);
  }
}

/** That undeclared keys are refused is the compiler's own rule, not the author's word: said of each object it would hide the rest. */
function isOwnClosing({ keyword, value }: DroppedKeyword): boolean {
  return keyword === "additionalProperties" && value === false;
}

function checkPropertyNames(subject: Subject, targets: readonly TargetName[], checked: CheckedManifest): void {
  for (const name of Object.keys(subject.schema.properties ?? {})) {
    const refusing = targets.filter((target) => PROPERTY_NAMES[familyOf(target)]?.test(name) === false);
    if (refusing.length === 0) continue;
    const pointer = `/properties/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    report(messages.targetPropertyName(name, listed(refusing)), { subject, pointer }, checked);
  }
}

/** Limits of a whole request; an agent may have fewer tools than the manifest, so these are warnings. */
function checkRequest({ manifest: { tools }, reporter }: CheckedManifest, targets: readonly TargetName[]): void {
  for (const [family, members] of grouped(targets, familyOf)) {
    const limit = MAX_TOOLS[family];
    if (limit === undefined || tools.length <= limit) continue;
    reporter.add(messages.targetToolCount(tools.length, { limit, targets: listed(members) }));
  }
  for (const target of targets) {
    const beyond = lowerTools(tools, target).filter((tool) => !tool.strict && lowerTool(tool.tool, target).strict);
    const [first] = beyond as readonly (LoweredTool | undefined)[];
    if (first === undefined) continue;
    const names = beyond.map(({ name }) => name);
    reporter.add(messages.targetRequestLimit(target, { tools: names, reason: reasonsOf(first) }));
  }
}

function report(
  fault: Fault,
  { subject, pointer }: { readonly subject: Subject; readonly pointer?: string },
  { places, reporter }: CheckedManifest,
): void {
  const found = places.get(`${subject.kind} ${subject.name}`);
  const site = pointer === undefined ? undefined : found?.locate(subject.schema, pointer);
  if (site !== undefined) reporter.atSite(fault, site);
  else if (found !== undefined) reporter.atNode(fault, found.node, subject.name);
  else reporter.add({ ...fault, toolName: subject.name });
}

/** Why a strict target had to fall back. */
function reasonsOf({ notes }: LoweredSchema): string {
  const prefix = "not strict: ";
  return notes.flatMap((note) => (note.startsWith(prefix) ? [note.slice(prefix.length)] : [])).join("; ");
}

/** `openai` of `openai-strict`. */
function familyOf(target: TargetName): string {
  return target.split("-", 1)[0] ?? target;
}

/** A long value would hide what else was lost. */
function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function listed(targets: readonly string[]): string {
  return targets.join(", ");
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
