import type { AgentOptions } from "@callsign/runtime";

/** What an example leaves to whoever runs it: the model, and where its provider is. */
export type ModelSettings = Pick<AgentOptions<unknown>, "model" | "apiKey" | "baseUrl">;

/**
 * Runs an example from the command line: `node src/math-agent.ts anthropic/claude-sonnet-5-5 "What is 2 + 3?"`. Without
 * a model it runs offline, on one that calls every tool.
 */
export async function runExample(
  example: (settings: ModelSettings, question: string) => Promise<unknown>,
  question: string,
): Promise<void> {
  const [model = "test/auto", ...words] = process.argv.slice(2);
  console.log(await example({ model }, words.join(" ") || question));
}
