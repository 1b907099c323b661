import { registerWorkflowSchemas } from "../durable/workflow-schemas.js";
import { Schema } from "../schema.js";
import type { Tool } from "../tool-class.js";
import { setOwn } from "../validation/set-own.js";
import { bindTools, type Implementations } from "./bind-tools.js";
import type { Manifest } from "./manifest.js";
import { type ModulePlaces, placeModules } from "./module-places.js";
import { validateManifest } from "./validate-manifest.js";

/** The types of a generated module: what TypeScript knows of the manifest's tools and schemas. */
export interface ManifestTypes {
  /** By the key that `bind` takes: what implements it, and the tools that come of it. */
  readonly bindings: { readonly [key: string]: { readonly implementation: unknown; readonly tools: object } };
  readonly schemas: { readonly [name: string]: unknown };
}

/** What a generated module exports. */
export interface DefinedManifest<Types extends ManifestTypes> {
  readonly manifest: Manifest;
  /** The types marked `@schema`, by name. */
  readonly schemas: { readonly [Name in keyof Types["schemas"]]: Schema<Types["schemas"][Name]> };
  /**
   * Binds some or all tools to their functions; see `bindTools`. A project may call it in each file that holds tools.
   *
   * @returns The tools of the given implementations, by tool name.
   */
  bind<Key extends keyof Types["bindings"]>(
    implementations: {
      readonly [Name in Key]: Types["bindings"][Name]["implementation"];
    },
  ): Merged<Types["bindings"][Key]["tools"]>;
}

/** The members of all objects of a union, in one object. */
type Merged<Union> = (Union extends unknown ? (member: Union) => void : never) extends (member: infer All) => void
  ? { readonly [Name in keyof All]: All[Name] }
  : never;

/**
 * The tool that a function becomes. The compiler writes one slot for each parameter: the name of the property that
 * fills it (`"unit?"` when it may be absent), `"*"` when the parameter is the arguments object or a part of it, and
 * null for what the runtime fills in.
 *
 * @example
 * import type { ToolOf } from "@callsign/runtime"
 *
 * declare function add(a: number, b?: number): number
 * type Add = ToolOf<typeof add, ["a", "b?"]> // Tool<{ a: number; b?: number }, number>
 */
export type ToolOf<F, Slots extends readonly (string | null)[]> = F extends (
  ...args: infer Parameters
) => infer Returned
  ? Tool<Flat<SlotArguments<Required<Parameters>, Slots>>, Element<Awaited<Returned>>>
  : never;

type Element<Returned> = Returned extends AsyncIterable<infer Item> | Generator<infer Item> ? Item[] : Returned;

type Flat<T> = { [Name in keyof T]: T[Name] };

type SlotArguments<Parameters, Slots extends readonly (string | null)[]> = Slots extends readonly [
  infer Slot,
  ...infer Rest extends readonly (string | null)[],
]
  ? (Parameters extends readonly [infer First, ...unknown[]] ? SlotArgument<Slot, First> : unknown) &
      SlotArguments<Parameters extends readonly [unknown, ...infer Others] ? Others : [], Rest>
  : unknown;

type SlotArgument<Slot, Parameter> = Slot extends null
  ? unknown
  : Slot extends "*"
    ? Parameter
    : Slot extends `${infer Name}?`
      ? { [Key in Name]?: Exclude<Parameter, undefined> }
      : { [Key in Slot & string]: Parameter };

/**
 * Makes what a generated module exports of the manifest's data.
 *
 * @param value The manifest as the compiler wrote it.
 * @param workers Where threads load the modules of tools marked `@worker`; not given where there are none.
 * @throws {ManifestError} when it was written for another version of the runtime.
 *
 * @example
 * import { defineManifest } from "@callsign/runtime"
 *
 * type Types = { bindings: Record<never, never>; schemas: { Order: { id: string } } }
 * const defined = defineManifest<Types>({ manifestVersion: 1, tools: [], schemas: [], workflows: [] })
 * export const { manifest, schemas, bind } = defined
 */
export function defineManifest<Types extends ManifestTypes>(
  value: unknown,
  workers?: ModulePlaces,
): DefinedManifest<Types> {
  const manifest = validateManifest(value);
  registerWorkflowSchemas(manifest);
  if (workers !== undefined) placeModules(manifest, workers);
  const schemas: Record<string, Schema<unknown>> = Object.create(null);
  for (const { name, description, schema } of manifest.schemas) {
    setOwn(schemas, name, new Schema({ name, schema, ...(description === undefined ? {} : { description }) }));
  }
  return {
    manifest,
    schemas: Object.freeze(schemas) as DefinedManifest<Types>["schemas"],
    bind: (implementations) =>
      bindTools(manifest, implementations as Implementations, { partial: true }) as ReturnType<
        DefinedManifest<Types>["bind"]
      >,
  };
}
