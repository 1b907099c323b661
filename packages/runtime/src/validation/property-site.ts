import type { CompiledSchema, SchemaSite } from "./compile-schema.js";

/**
 * The schemas that a property of an object must fit: those declared for it and those whose pattern fits its name, else
 * the one for additional properties. Empty where the object's schema says nothing about it.
 */
export function propertySites(compiled: CompiledSchema, site: SchemaSite, name: string): SchemaSite[] {
  const found: (SchemaSite | undefined)[] = [];
  const { properties, patternProperties } = site.schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) found.push(compiled.child(site, "properties", name));
  for (const pattern of Object.keys(patternProperties ?? {})) {
    if (new RegExp(pattern, "u").test(name)) found.push(compiled.child(site, "patternProperties", pattern));
  }
  if (found.length === 0) found.push(compiled.child(site, "additionalProperties"));
  return found.filter((schema) => schema !== undefined);
}

/** The schema of an array's element: undefined where the array's schema says nothing about it. */
export function elementSite(compiled: CompiledSchema, site: SchemaSite, index: number): SchemaSite | undefined {
  const prefix = site.schema.prefixItems ?? [];
  return index < prefix.length ? compiled.child(site, "prefixItems", index) : compiled.child(site, "items");
}
