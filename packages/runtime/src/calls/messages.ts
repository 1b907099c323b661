import { formatPath, type Refusal } from "./refusal.js";

/** What the model is told when its arguments do not fit. */
export function argumentsRefused(toolName: string, refusals: readonly Refusal[]): string {
  return [
    `The arguments do not fit the schema of ${toolName}; it was not run.`,
    ...refusals.map(refusalLine),
    "Correct these and call it again.",
  ].join("\n");
}

/** One line for each place: `- filter.limit: must be a number; got "many"`. */
export function refusalLine({ path, message }: Refusal): string {
  return `- ${formatPath(path)}: ${message}`;
}

export function unknownTool(name: string, known: readonly string[]): string {
  const tools = known.length === 0 ? "There are no tools." : `The tools are: ${known.join(", ")}.`;
  return `There is no tool named ${JSON.stringify(name)}. ${tools}`;
}

/** @param why `the limit of 10 tool calls is reached`. */
export function callsExhausted(why: string): string {
  return `Not run: ${why}. Answer with what is known.`;
}

export function callCut(): string {
  return "Not run: the reply was cut off by the output limit, so the arguments may be incomplete. Call again with shorter arguments.";
}

export function approvalRefused(reason: string | undefined): string {
  return `Not run: the call was refused by a person${reason === undefined ? "" : `: ${reason}`}.`;
}

export function approvalMissing(): string {
  return "Not run: this tool needs a person's approval, and nobody can be asked here.";
}
