import { agent } from "@callsign/runtime";
import { bind } from "./callsign.gen.ts";
import { type ModelSettings, runExample } from "./run-example.ts";

/**
 * Adds two numbers.
 *
 * @tool
 */
export function add(a: number, b: number): number {
  return a + b;
}

/**
 * Multiplies two numbers.
 *
 * @tool
 */
export async function multiply(a: number, b: number): Promise<number> {
  return a * b;
}

bind({ add, multiply });

/** The model decides which tool to call, how often, and in which order. */
export function mathAgent(settings: ModelSettings, question: string): Promise<string> {
  const assistant = agent("You compute. Use the tools for every step, and answer with the number.", {
    ...settings,
    tools: [add, multiply],
  });
  return assistant(question);
}

if (import.meta.main) await runExample(mathAgent, "What is (12 + 7) * 3?");
