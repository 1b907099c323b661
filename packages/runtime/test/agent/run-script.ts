import { type AgentOptions, type AgentRun, agent, type RunEvent, Tool, type ToolContext } from "../../src/index.js";
import type { ToolResultPart } from "../../src/model/messages.js";
import type { ModelRequest } from "../../src/model/provider.js";
import { objectSchema } from "../manifest-fixture.js";
import { type ScriptedReply, scriptedModel } from "./scripted-model.js";

export type Execute = (args: Record<string, unknown>, context: ToolContext) => unknown;

export const numbers = objectSchema({ a: { type: "number" }, b: { type: "number" } });

export function makeTool(name: string, execute: Execute, parameters = objectSchema({})): Tool {
  return new Tool({ name, parameters, execute });
}

export const add = makeTool("add", ({ a, b }) => (a as number) + (b as number), numbers);

export async function eventsOf(run: AgentRun<unknown>): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

export function ofType<Type extends RunEvent["type"]>(
  events: RunEvent[],
  type: Type,
): Extract<RunEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);
}

export async function runScript<T = string>(
  replies: ScriptedReply[],
  options: Omit<AgentOptions<T>, "model"> & { outputMode?: "native" | "tool" | "after-tools" } = {},
): Promise<{ events: RunEvent[]; requests: ModelRequest[]; result: PromiseSettledResult<T> }> {
  const { outputMode, ...agentOptions } = options;
  const model = scriptedModel(replies, outputMode === undefined ? {} : { outputMode });
  const run = agent<T>("Be exact.", { ...agentOptions, model } as AgentOptions<T>).stream("question");
  const events = await eventsOf(run);
  const [result] = await Promise.allSettled([run.result]);
  return { events, requests: model.requests, result };
}

export function resultsIn(request: ModelRequest | undefined): readonly ToolResultPart[] {
  const last = request?.messages.at(-1);
  return last?.role === "tool" ? last.content : [];
}

export const textIn = (result: ToolResultPart | undefined): string =>
  (result?.content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
