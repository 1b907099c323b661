import type { Json } from "../../manifest/json-schema.js";
import type { AssistantPart } from "../../model/messages.js";
import type { ModelEvent, ModelReply } from "../../model/model-events.js";
import { OLLAMA_API } from "./to-request.js";

/** What we read of a line. */
export interface OllamaLine {
  readonly model?: string;
  readonly message?: {
    readonly content?: string;
    readonly thinking?: string;
    readonly tool_calls?: readonly {
      readonly id?: string;
      readonly function: { readonly index?: number; readonly name: string; readonly arguments?: unknown };
    }[];
  };
  readonly done?: boolean;
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
}

/** Puts a reply of Ollama's chat API together. Calls come whole and are appended, never replaced: indexes repeat. */
export class OllamaReader {
  #thinking = "";
  #text = "";
  readonly #calls: AssistantPart[] = [];
  #last: OllamaLine | undefined;
  #model: string | undefined;
  readonly #callId: (position: number) => string;

  /** @param callId Makes an id for a call that has none. */
  constructor(callId: (position: number) => string) {
    this.#callId = callId;
  }

  get isComplete(): boolean {
    return this.#last !== undefined;
  }

  push(line: OllamaLine): ModelEvent | readonly ModelEvent[] | undefined {
    this.#model ??= line.model;
    const { message } = line;
    if (line.done !== true && message !== undefined && message.tool_calls === undefined) {
      // The common case: a piece of text, or of a thought.
      const text = message.content ?? "";
      if (message.thinking === undefined || message.thinking === "") {
        this.#text += text;
        return text === "" ? undefined : { type: "text", text };
      }
    }
    if (line.done === true) this.#last = line;
    const { thinking = "", content = "", tool_calls = [] } = line.message ?? {};
    this.#thinking += thinking;
    this.#text += content;
    for (const { id, function: called } of tool_calls ?? []) {
      const { name, arguments: args, ...more } = called;
      const native = { ...(id === undefined || id === "" ? {} : { id }), function: more };
      this.#calls.push({
        type: "tool_call",
        id: native.id ?? this.#callId(this.#calls.length),
        name,
        arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}),
        native: { api: OLLAMA_API, value: native as Json },
      });
    }
    return [
      ...(thinking === "" ? [] : [{ type: "reasoning", text: thinking } as const]),
      ...(content === "" ? [] : [{ type: "text", text: content } as const]),
    ];
  }

  reply(request: { readonly provider: string; readonly model: string; readonly notes: readonly string[] }): ModelReply {
    const { done_reason: reason, prompt_eval_count: input, eval_count: output } = this.#last ?? {};
    const content: AssistantPart[] = [
      ...(this.#thinking === ""
        ? []
        : [{ type: "reasoning", text: this.#thinking, native: { api: OLLAMA_API, value: {} } } as const]),
      ...(this.#text === "" ? [] : [{ type: "text", text: this.#text } as const]),
      ...this.#calls,
    ];
    const stop = reason === "length" ? "length" : this.#calls.length > 0 ? "tool" : "end";
    return {
      message: { role: "assistant", content, model: `${request.provider}/${request.model}` },
      stop: reason === "load" || reason === "unload" ? "error" : stop,
      ...(reason === undefined ? {} : { rawStop: reason }),
      usage: {
        // Missing when the prompt was cached.
        ...(input === undefined ? {} : { inputTokens: input }),
        ...(output === undefined ? {} : { outputTokens: output }),
      },
      ...(this.#model === undefined ? {} : { servedModel: this.#model }),
      notes: request.notes,
    };
  }
}
