import type { Problem } from "../errors/problem.js";

/**
 * The form for scripts: one JSON object, `{ "problems": [...] }` with the fields of `Problem`.
 *
 * @param options.fields Further members, written before `problems`.
 * @param options.oneLine Without line breaks, for a stream of objects.
 */
export function formatJson(
  problems: readonly Problem[],
  options: { readonly fields?: Readonly<Record<string, unknown>>; readonly oneLine?: boolean } = {},
): string {
  return `${JSON.stringify({ ...options.fields, problems }, null, options.oneLine === true ? undefined : 2)}\n`;
}
