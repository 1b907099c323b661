import type { Json } from "../../manifest/json-schema.js";
import type { AssistantPart, Message, ToolResultPart } from "../../model/messages.js";
import type { ModelEvent } from "../../model/model-events.js";
import type { ModelRequest } from "../../model/provider.js";
import { compileSchema } from "../../validation/compile-schema.js";
import { estimateUsage } from "./estimate-usage.js";
import { makeValue } from "./make-value.js";

/**
 * The model `test/auto`: calls every tool once with arguments made from its schema, then answers in the format asked
 * for, or with a text that tells what the tools gave back. The same request gives the same reply.
 */
export async function* streamAuto(request: ModelRequest): AsyncGenerator<ModelEvent> {
  const { tools = [], toolChoice = "auto", messages } = request;
  const turn = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
  const called = new Set(turn.flatMap(callsIn));
  const wanted = toolChoice === "none" ? [] : tools.filter(({ name }) => !called.has(name));
  if (wanted.length > 0) {
    const step = messages.filter(({ role }) => role === "assistant").length;
    const calls = await Promise.all(
      wanted.map(async (tool, index): Promise<AssistantPart> => {
        const compiled = await compileSchema(tool.tool.parameters, tool.name);
        const args = tool.encode(makeValue(compiled) as Json);
        return { type: "tool_call", id: `call_${step}_${index}`, name: tool.name, arguments: JSON.stringify(args) };
      }),
    );
    yield reply(request, calls);
    return;
  }
  const text = request.output === undefined ? tell(turn) : await answer(request.output);
  if (request.output === undefined)
    for (const token of text.match(/\S+\s*/g) ?? []) yield { type: "text", text: token };
  yield reply(request, [{ type: "text", text }]);
}

function callsIn(message: Message): string[] {
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part) => (part.type === "tool_call" ? [part.name] : []));
}

async function answer(output: NonNullable<ModelRequest["output"]>): Promise<string> {
  const compiled = await compileSchema(output.neutral, output.name);
  return JSON.stringify(output.encode(makeValue(compiled) as Json));
}

function tell(turn: readonly Message[]): string {
  const results = turn.flatMap((message): readonly ToolResultPart[] =>
    message.role === "tool" ? message.content : [],
  );
  if (results.length === 0) return "There are no tools to call.";
  const lines = results.map(({ name, content, isError }) => {
    const text = content.map((part) => (part.type === "text" ? part.text : "(an image)")).join(" ");
    return `- ${name}: ${isError === true ? "failed: " : ""}${text}`;
  });
  return `The tools gave back:\n${lines.join("\n")}`;
}

function reply(request: ModelRequest, content: readonly AssistantPart[]): ModelEvent {
  return {
    type: "reply",
    reply: {
      message: { role: "assistant", content },
      stop: content.some(({ type }) => type === "tool_call") ? "tool" : "end",
      usage: estimateUsage(request, content),
      notes: [],
    },
  };
}
