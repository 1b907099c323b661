import type { ModelRequest, OutputMode } from "../model/provider.js";
import type { CustomModel } from "../open-model.js";
import { test } from "../providers/test/entry.js";
import { Script, type ScriptReply } from "../providers/test/script.js";

export interface ScriptedModelOptions {
  /** Default `scripted/model`. */
  readonly id?: string;
  /** How a `responseFormat` is asked for. Default `native`. */
  readonly outputMode?: OutputMode;
  /**
   * Which reply a request gets. `history` (the default): the one after those that its conversation holds, so that each
   * conversation begins at the first. `requests`: the next one, also where the history was shortened.
   */
  readonly by?: "history" | "requests";
  /** Between tokens, for steps that do not say. Default: none. */
  readonly delayMs?: number;
}

/** A model for `agent()` that answers by a list, and the requests that it got. */
export interface ScriptedModel extends CustomModel {
  readonly requests: readonly ModelRequest[];
}

/**
 * A model that answers what the test says. The same as the model string `test/script/REPLIES.json`, with functions and
 * errors beside plain replies.
 *
 * @param replies A function sees the request and makes the reply; an `Error` is thrown.
 *
 * @example
 * import { agent, Tool } from "@callsign/runtime"
 * import { scriptedModel } from "@callsign/runtime/testing"
 *
 * const now = new Tool({ name: "now", parameters: { type: "object" }, execute: () => "noon" })
 * const model = scriptedModel([
 *   { fails: { code: "overloaded", retryAfterMs: 1 } },
 *   { toolCalls: [{ name: "now", arguments: {} }] },
 *   { text: "It is noon." },
 * ])
 * const answer = await agent("Tell the time.", { model, tools: [now] })("What time is it?") // It is noon.
 * console.log(answer, model.requests.length) // 3
 */
export function scriptedModel(replies: readonly ScriptReply[], options: ScriptedModelOptions = {}): ScriptedModel {
  const requests: ModelRequest[] = [];
  const { id = "scripted/model", outputMode = "native" } = options;
  const script = new Script(replies, { name: id, by: options.by, delayMs: options.delayMs });
  return {
    id,
    requests,
    entry: {
      ...test,
      outputMode: () => outputMode,
      open: async () => ({
        name: id.slice(0, id.indexOf("/")),
        stream: (request) => {
          requests.push(request);
          return script.stream(request);
        },
      }),
    },
  };
}
