/** One place of a value that does not fit its schema, in words that a model can act on. */
export interface Refusal {
  /** Keys and indexes from the root. */
  readonly path: readonly (string | number)[];
  /** The rule and the value received, without a final period. */
  readonly message: string;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** A path as in code: `filter.where[0].name`; the whole value is `(root)`. */
export function formatPath(path: readonly (string | number)[]): string {
  if (path.length === 0) return "(root)";
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (IDENTIFIER.test(key)) text += text === "" ? key : `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text;
}
