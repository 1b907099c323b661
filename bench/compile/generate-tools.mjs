// Writes a project of N tools (at most 50 a file) with a realistic mix of types. The text depends on N alone.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SHARED = `/** An amount in minor units. */
export interface Price {
  /** ISO 4217 code. */
  currency: "EUR" | "USD" | "JPY";
  /** @minimum 0 */
  cents: number;
}
export interface Listing<Item> {
  items: Item[];
  next?: string;
}
export interface Category {
  label: string;
  children: Category[];
}
export enum Urgency {
  Low = "low",
  Normal = "normal",
  High = "high",
}
export type Figure =
  | { kind: "circle"; radius: number }
  | { kind: "box"; width: number; height: number }
  | { kind: "line"; points: [x: number, y: number][] };
`;

const SPEED = ['speed: "fast" | "careful" | "auto";', "urgency: Urgency;", "remark: string | null;"];
const SHARED_MEMBERS = ["price: Price;", "figure: Figure;", "category: Category;", "listing: Listing<Price>;"];
const COLLECTIONS = ["tags: string[];", "place: [lat: number, lon: number];", "counts: Record<string, number>;"];

function tool(number) {
  const members = [
    `/** What to look for, as text ${number}. @maxLength ${80 + (number % 40)} */\n  query: string;`,
    "/** How many at most. @minimum 1 */\n  limit?: number;",
    SPEED[number % SPEED.length],
    SHARED_MEMBERS[number % SHARED_MEMBERS.length],
    COLLECTIONS[number % COLLECTIONS.length],
    number % 5 === 0
      ? `changes: Partial<Pick<Input${number}Draft, "title" | "size">>;`
      : `own${number}: { active: boolean; names?: string[] };`,
  ];
  return `export interface Input${number}Draft { title: string; size: number; hidden: boolean }
export interface Input${number} {
  ${members.join("\n  ")}
}
/**
 * Looks things up, way number ${number}.
 * @tool
 * @param input what to look for
 */
export async function lookup_${number}(input: Input${number}): Promise<{ found: boolean; count: number }> {
  return { found: input.query !== "", count: ${number} };
}
`;
}

/** Writes the project into a folder. */
export function generateTools(count, folder) {
  const perFile = 50;
  const source = join(folder, "src");
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, "shared.ts"), SHARED);
  for (let file = 0; file * perFile < count; file++) {
    const numbers = Array.from({ length: Math.min(perFile, count - file * perFile) }, (_, at) => file * perFile + at);
    const uses = `export type Uses${file} = [Price, Figure, Category, Listing<string>, Urgency];\n`;
    const head = 'import { type Category, type Figure, type Listing, type Price, Urgency } from "./shared.js";\n';
    writeFileSync(join(source, `tools-${file}.ts`), head + numbers.map(tool).join("") + uses);
  }
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2022"],
    module: "nodenext",
    moduleResolution: "nodenext",
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  };
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name: "generated", private: true, type: "module" })}\n`,
  );
  writeFileSync(join(folder, "tsconfig.json"), `${JSON.stringify({ compilerOptions, include: ["src"] }, null, 2)}\n`);
}
