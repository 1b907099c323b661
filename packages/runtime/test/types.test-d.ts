// Checked by `npm run types`; never run. Each @ts-expect-error is wrong code that must not compile.
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import {
  type Agent,
  agent,
  type ExclusiveMin,
  type Format,
  type Int,
  type Max,
  type MaxItems,
  type Min,
  type MinItems,
  type MinLength,
  type Pattern,
  type Schema,
  type Tool,
  type ToolContext,
  type ToolOf,
  tool,
} from "../src/index.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(proof: Same<A, B>): void => void proof;

// Constraint aliases cost the caller nothing: plain values fit, and what comes out is a plain value.
const digit: Int & Min<0> & Max<9> = 5;
const doubled: number = digit * 2;
const mail: string & Format<"email"> & MinLength<3> = "ada@example.com";
const code: (string & Pattern<"^[A-Z]+$">) | null = Math.random() > 0.5 ? "AB" : null;
const tags: string[] & MinItems<1> & MaxItems<5> = ["a"];
const share: number & ExclusiveMin<0> = doubled;
// @ts-expect-error a string is no number, constrained or not
const wrong: number & Min<0> = "5";
same<NonNullable<(number & Min<0> & Max<9>)["~constraint"]>, { minimum: 0 } & { maximum: 9 }>(true);
void [mail, code, tags, share, wrong];

// ToolOf takes names and optionality from its slots, and leaves out what the runtime gives.
declare function search(query: string, context: ToolContext, limit?: number, deep?: boolean): Promise<URL[]>;
same<
  ToolOf<typeof search, ["query", null, "limit?", "deep?"]>,
  Tool<{ query: string; limit?: number; deep?: boolean }, URL[]>
>(true);
declare function place(order: { id: string; note?: string }): Date;
same<ToolOf<typeof place, ["*"]>, Tool<{ id: string; note?: string }, Date>>(true);
declare function steps(): AsyncGenerator<number>;
same<ToolOf<typeof steps, []>, Tool<{}, number[]>>(true);

// tool() keeps the function's type.
const marked = tool({ name: "find" }, (id: string, when: Date): string => id + when);
const found: string = marked("a", new Date());
// @ts-expect-error the second parameter is missing
marked("a");
void found;

// A response format decides what an agent gives; everything else gives text.
declare const Forecast: Schema<{ city: string }>;
same<typeof assistant, Agent<string>>(true);
const assistant = agent("x", { model: "test/auto", tools: [search, place, marked] });
same<typeof forecaster, Agent<{ city: string }>>(true);
const forecaster = agent("x", { model: "test/auto", responseFormat: Forecast });
// @ts-expect-error an object is no tool
agent("x", { model: "test/auto", tools: [{}] });

// Schemas and tools are Standard Schemas, by the specification's own types.
const standard: StandardSchemaV1<unknown, { city: string }> & StandardJSONSchemaV1 = Forecast;
declare const placed: ToolOf<typeof place, ["*"]>;
const standardTool: StandardSchemaV1<unknown, { id: string; note?: string }> = placed;
void [standard, standardTool];
