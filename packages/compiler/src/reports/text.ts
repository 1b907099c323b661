import { styleText } from "node:util";
import type { Location, Problem } from "../errors/problem.js";

/** Longer source lines (minified code, embedded data) are cut to a window around the place. */
const MAX_LINE_LENGTH = 160;

// Columns that most terminals draw two cells wide: without them the caret would stand left of its place.
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/;

/** The form for people: place, frame with carets, `in` and `hint` lines; problems are set apart by an empty line. */
export function formatText(problems: readonly Problem[], options: { readonly color?: boolean } = {}): string {
  const paint: Paint = options.color === true ? inColor : (_format, text) => text;
  return problems.map((problem) => formatProblem(problem, paint)).join("\n");
}

type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

const inColor: Paint = (format, text) => styleText(format, text, { validateStream: false });

function formatProblem(problem: Problem, paint: Paint): string {
  const { location, severity, code, message, frame, typePath, notes, hint } = problem;
  const place = location === undefined ? "" : `${paint("cyan", printable(formatPlace(location)))} - `;
  const label = paint(["bold", severity === "error" ? "red" : "yellow"], severity);
  const lines = [`${place}${label} ${code}: ${printable(message)}`, ""];
  if (frame !== undefined && location !== undefined) lines.push(...formatFrame(frame, location, paint), "");
  if (typePath !== undefined) lines.push(`  ${paint("dim", "in")}    ${printable(typePath)}`);
  for (const note of notes ?? []) {
    lines.push(`  ${paint("dim", "note")}  ${printable(formatPlace(note.location))} - ${printable(note.message)}`);
  }
  lines.push(`  ${paint("dim", "hint")}  ${printable(hint)}`);
  return `${lines.join("\n")}\n`;
}

function formatPlace({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

function formatFrame(frame: NonNullable<Problem["frame"]>, location: Location, paint: Paint): string[] {
  const width = String(frame.firstLine + frame.lines.length - 1).length;
  const start = location.column - 1;
  const cut = cutAround(start, location.length);
  return frame.lines.flatMap((line, index) => {
    const number = frame.firstLine + index;
    const isPlace = number === location.line;
    const gutter = paint("dim", `${isPlace ? ">" : " "} ${String(number).padStart(width)} |`);
    const shown = cut(line);
    const row = `${gutter} ${printable(shown.text)}`.trimEnd();
    if (!isPlace) return [row];
    const before = indentLike(shown.text.slice(0, start - shown.from));
    const marked = shown.text.slice(start - shown.from, start - shown.from + location.length);
    const carets = "^".repeat(Math.max(1, cells(marked)));
    return [row, `${paint("dim", `  ${" ".repeat(width)} |`)} ${before}${paint("red", carets)}`];
  });
}

function cutAround(start: number, length: number): (line: string) => { text: string; from: number } {
  const room = Math.max(40, MAX_LINE_LENGTH - Math.min(length, MAX_LINE_LENGTH));
  const from = start + length <= MAX_LINE_LENGTH ? 0 : Math.max(0, start - Math.floor(room / 2));
  return (line) => ({
    text: line.length <= MAX_LINE_LENGTH ? line : line.slice(from, from + MAX_LINE_LENGTH),
    from: line.length <= MAX_LINE_LENGTH ? 0 : from,
  });
}

function indentLike(text: string): string {
  return [...text].map((character) => (character === "\t" ? "\t" : " ".repeat(cells(character)))).join("");
}

function cells(text: string): number {
  let count = 0;
  for (const character of text) count += character.length === 2 || WIDE.test(character) ? 2 : 1;
  return count;
}

/** Source text may hold escape sequences; printed as they are they could recolour or rewrite the terminal. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd");
}
