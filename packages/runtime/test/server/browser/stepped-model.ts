import type { AssistantPart } from "../../../src/model/messages.js";
import type { CustomModel } from "../../../src/open-model.js";
import { test } from "../../../src/providers/test/entry.js";

/** One thing that a model does: it says or thinks something, asks for a call, or waits for the test. */
export type Step =
  | { readonly text: string }
  | { readonly reasoning: string }
  | { readonly call: string; readonly args: object }
  | { readonly until: Promise<unknown> };

/** A model whose every token comes when the test lets it. @param replies One for each request. */
export function steppedModel(replies: readonly (readonly Step[])[]): CustomModel {
  return {
    id: "stepped/model",
    entry: {
      ...test,
      open: async () => ({
        name: "stepped",
        async *stream({ messages }) {
          const answered = messages.filter(({ role }) => role === "assistant").length;
          const content: AssistantPart[] = [];
          for (const step of replies[answered] ?? []) {
            if ("until" in step) await step.until;
            else if ("text" in step) {
              yield { type: "text", text: step.text };
              content.push({ type: "text", text: step.text });
            } else if ("reasoning" in step) {
              yield { type: "reasoning", text: step.reasoning };
              content.push({ type: "reasoning", text: step.reasoning });
            } else {
              const id = `call_${answered}_${content.length}`;
              content.push({ type: "tool_call", id, name: step.call, arguments: JSON.stringify(step.args) });
            }
          }
          const stop = content.some(({ type }) => type === "tool_call") ? "tool" : "end";
          const usage = { inputTokens: 10, outputTokens: 2 };
          yield { type: "reply", reply: { message: { role: "assistant", content }, stop, usage, notes: [] } };
        },
      }),
    },
  };
}
