import type { JsonSchema } from "../../manifest/json-schema.js";

/**
 * Writes the property that tells the branches of a union apart first in each branch, so that the model decides on the
 * branch before it writes anything else of it. Only for branches that are objects written out.
 */
export function withDiscriminatorFirst<T extends JsonSchema>(branches: readonly T[]): readonly T[] {
  const objects = branches.filter((branch) => branch.type === "object" && branch.properties !== undefined);
  const first = objects[0];
  if (first === undefined || objects.length < 2) return branches;
  const name = Object.keys(first.properties ?? {}).find((key) =>
    objects.every((branch) => isFixed(Object.hasOwn(branch.properties!, key) ? branch.properties![key] : undefined)),
  );
  if (name === undefined) return branches;
  return branches.map((branch) => {
    if (!objects.includes(branch)) return branch;
    const { [name]: discriminator, ...others } = branch.properties!;
    const required = branch.required?.includes(name)
      ? { required: [name, ...branch.required.filter((key) => key !== name)] }
      : {};
    return { ...branch, properties: { [name]: discriminator!, ...others }, ...required };
  });
}

function isFixed(schema: JsonSchema | undefined): boolean {
  return schema !== undefined && (schema.const !== undefined || schema.enum?.length === 1);
}
