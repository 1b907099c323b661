import type { CustomModel } from "../../src/index.js";
import type { AssistantPart } from "../../src/model/messages.js";
import type { StopReason } from "../../src/model/model-events.js";
import type { ModelRequest, OutputMode } from "../../src/model/provider.js";
import { test } from "../../src/providers/test/entry.js";

/** What the model answers to one request. A function looks at the request first; an Error is thrown. */
export type ScriptedReply = ScriptedParts | Error | ((request: ModelRequest) => ScriptedParts | Promise<ScriptedParts>);

interface ScriptedParts {
  readonly text?: string;
  readonly reasoning?: string;
  /** `[name, arguments]`; text is sent as it is. */
  readonly calls?: readonly (readonly [name: string, args: unknown])[];
  readonly stop?: StopReason;
  /** Thrown after the text was shown. */
  readonly fails?: Error;
}

/** A model that answers by the script, and the requests that it got. */
export function scriptedModel(
  replies: readonly ScriptedReply[],
  options: { readonly outputMode?: OutputMode } = {},
): CustomModel & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    id: "scripted/model",
    requests,
    entry: {
      ...test,
      outputMode: () => options.outputMode ?? "native",
      open: async () => ({
        name: "scripted",
        async *stream(request) {
          const step = requests.length;
          requests.push(request);
          const entry = replies[step];
          if (entry === undefined) throw new Error(`the script has no reply ${step + 1}`);
          if (entry instanceof Error) throw entry;
          const reply = typeof entry === "function" ? await entry(request) : entry;
          const content: AssistantPart[] = [];
          if (reply.reasoning !== undefined) {
            yield { type: "reasoning", text: reply.reasoning };
            content.push({ type: "reasoning", text: reply.reasoning });
          }
          if (reply.text !== undefined) {
            yield { type: "text", text: reply.text };
            content.push({ type: "text", text: reply.text });
          }
          if (reply.fails !== undefined) throw reply.fails;
          for (const [index, [name, args]] of (reply.calls ?? []).entries()) {
            const text = typeof args === "string" ? args : JSON.stringify(args);
            content.push({ type: "tool_call", id: `call_${step}_${index}`, name, arguments: text });
          }
          const stop = reply.stop ?? (reply.calls === undefined ? "end" : "tool");
          const usage = { inputTokens: 10, outputTokens: 2 };
          yield { type: "reply", reply: { message: { role: "assistant", content }, stop, usage, notes: [] } };
        },
      }),
    },
  };
}
