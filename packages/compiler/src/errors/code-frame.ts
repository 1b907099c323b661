import type { Location, Problem } from "./problem.js";

/** The lines around a location: three before, the line itself, one after. */
export function codeFrame(text: string, { line }: Location): NonNullable<Problem["frame"]> {
  const lines = text.split(/\r\n|\n|\r/);
  const first = Math.max(1, line - 3);
  return { firstLine: first, lines: lines.slice(first - 1, Math.min(lines.length, line + 1)) };
}
