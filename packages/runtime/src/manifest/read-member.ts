/** The member at a dotted path; never one that every object has. */
export function readMember(holder: unknown, path: string): unknown {
  let value = holder;
  for (const name of path.split(".")) {
    if ((typeof value !== "object" && typeof value !== "function") || value === null || name in Object.prototype) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
