import type { Location, Problem } from "./problem.js";

const LINES_BEFORE = 2;
const LINES_AFTER = 1;

/**
 * The source around a place: two lines before, the line itself, one after.
 *
 * @param text The whole source file; its lines are those that TypeScript counts.
 */
export function codeFrame(text: string, { line }: Pick<Location, "line">): NonNullable<Problem["frame"]> {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r|\u2028|\u2029/);
  const firstLine = Math.max(1, line - LINES_BEFORE);
  return { firstLine, lines: lines.slice(firstLine - 1, line + LINES_AFTER) };
}
