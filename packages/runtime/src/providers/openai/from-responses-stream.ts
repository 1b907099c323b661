import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import type { Json } from "../../manifest/json-schema.js";
import type { AssistantPart, NativeData } from "../../model/messages.js";
import type { ModelEvent, ModelReply, StopReason } from "../../model/model-events.js";
import type { Usage } from "../../model/usage.js";
import { RESPONSES_API } from "./to-responses-request.js";

interface Item {
  readonly type?: string;
  readonly [key: string]: unknown;
}

interface RawResponse {
  readonly id?: string;
  readonly model?: string;
  readonly status?: string;
  readonly incomplete_details?: { readonly reason?: string } | null;
  readonly error?: unknown;
  readonly output?: readonly Item[];
  readonly usage?: unknown;
}

/** Puts a reply of the Responses API together, from a stream or from one piece. */
export class ResponsesReader {
  /** Finished items by `output_index`; ids change between events on some proxies. */
  readonly #items = new Map<number, Item>();
  readonly #begun = new Map<number, Item>();
  readonly #text = new Map<number, string>();
  /** Added to indexes: a body that holds several responses counts from 0 again in each. */
  #offset = 0;
  #response: RawResponse | undefined;

  /** Whether the event that ends a reply has come. */
  get isComplete(): boolean {
    return this.#response !== undefined;
  }

  /** `response.failed` is an ordinary event to the SDK. */
  get failed(): unknown {
    return this.#response?.status === "failed"
      ? (this.#response.error ?? { message: "the response failed" })
      : undefined;
  }

  push(event: ResponseStreamEvent): ModelEvent | undefined {
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.#addText(event);
        return event.delta === "" ? undefined : { type: "text", text: event.delta };
      case "response.function_call_arguments.delta":
        this.#addText(event);
        return undefined;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.#addText(event);
        return event.delta === "" ? undefined : { type: "reasoning", text: event.delta };
      case "response.reasoning_summary_part.added":
        if (event.summary_index === 0 || !this.#text.has(this.#offset + event.output_index)) return undefined;
        return { type: "reasoning", text: "\n\n" };
      case "response.output_item.added":
        this.#begun.set(this.#offset + event.output_index, event.item as unknown as Item);
        return undefined;
      case "response.output_item.done":
        this.#items.set(this.#offset + event.output_index, event.item as unknown as Item);
        return undefined;
      case "response.created":
        this.#offset = Math.max(-1, ...this.#begun.keys(), ...this.#items.keys()) + 1;
        return undefined;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.#response = {
          status: event.type.slice("response.".length),
          ...(event.response as unknown as RawResponse),
        };
        return undefined;
      default:
        return undefined;
    }
  }

  *readWhole(response: RawResponse): Generator<ModelEvent> {
    this.#response = response;
    for (const [index, item] of (response.output ?? []).entries()) {
      this.#items.set(index, item);
      const part = partOf(item);
      if ((part.type === "text" || part.type === "reasoning") && part.text !== "") {
        yield { type: part.type, text: part.text };
      }
    }
  }

  reply(request: { readonly provider: string; readonly model: string; readonly notes: readonly string[] }): ModelReply {
    const response = this.#response ?? {};
    const items = this.#finished(response);
    const parts = items.map(partOf);
    const reason = response.incomplete_details?.reason;
    const refusal = items.map(refusalOf).find((text) => text !== undefined);
    const raw = reason ?? response.status;
    return {
      message: { role: "assistant", content: parts, model: `${request.provider}/${request.model}` },
      stop: stopReason(response, { parts, isRefused: refusal !== undefined }),
      ...(raw === undefined ? {} : { rawStop: raw }),
      usage: usageOf(response.usage),
      ...(refusal === undefined ? {} : { refusal }),
      ...(response.model === undefined ? {} : { servedModel: response.model }),
      ...(response.id === undefined ? {} : { responseId: response.id }),
      notes: request.notes,
    };
  }

  #addText({ output_index, delta }: { readonly output_index: number; readonly delta: string }): void {
    const index = this.#offset + output_index;
    this.#text.set(index, (this.#text.get(index) ?? "") + delta);
  }

  /** The finished items in order; one that never finished is made of its pieces. */
  #finished(response: RawResponse): readonly Item[] {
    if (this.#items.size === 0 && this.#begun.size === 0) return response.output ?? [];
    const indexes = [...new Set([...this.#items.keys(), ...this.#begun.keys()])].sort((left, right) => left - right);
    return indexes.map(
      (index) => this.#items.get(index) ?? response.output?.[index - this.#offset] ?? this.#pieced(index),
    );
  }

  #pieced(index: number): Item {
    const item = this.#begun.get(index)!;
    const text = this.#text.get(index) ?? "";
    if (item.type === "function_call") return { ...item, arguments: text };
    return item.type === "message" ? { ...item, content: [{ type: "output_text", text, annotations: [] }] } : item;
  }
}

function partOf(item: Item): AssistantPart {
  switch (item.type) {
    case "message": {
      const parts = listOf(item.content);
      const text = parts.map((part) => String(part.text ?? part.refusal ?? "")).join("");
      return { type: "text", text, native: nativeData(item) };
    }
    case "reasoning": {
      const shown = listOf(item.summary).length > 0 ? listOf(item.summary) : listOf(item.content);
      return {
        type: "reasoning",
        text: shown.map((part) => String(part.text ?? "")).join("\n\n"),
        native: nativeData(item),
      };
    }
    case "function_call":
      return {
        type: "tool_call",
        id: String(item.call_id ?? item.id),
        name: String(item.name),
        arguments: typeof item.arguments === "string" ? item.arguments : JSON.stringify(item.arguments ?? {}),
        native: nativeData(item),
      };
    default:
      return { type: "native", native: nativeData(item) };
  }
}

function nativeData(item: Item): NativeData {
  return { api: RESPONSES_API, value: item as Json };
}

function refusalOf(item: Item): string | undefined {
  const refused = item.type === "message" ? listOf(item.content).find((part) => part.type === "refusal") : undefined;
  return refused === undefined ? undefined : String(refused.refusal);
}

function stopReason(
  response: RawResponse,
  { parts, isRefused }: { parts: readonly AssistantPart[]; isRefused: boolean },
): StopReason {
  const reason = response.incomplete_details?.reason;
  if (reason === "max_output_tokens") return "length";
  if (reason === "content_filter" || isRefused) return "refusal";
  if (parts.some((part) => part.type === "tool_call")) return "tool";
  return response.status === "completed" || response.status === undefined ? "end" : "error";
}

function usageOf(raw: unknown): Usage {
  const usage = (raw ?? {}) as {
    input_tokens?: number;
    output_tokens?: number;
    input_tokens_details?: { cached_tokens?: number } | null;
    output_tokens_details?: { reasoning_tokens?: number } | null;
  };
  const cached = usage.input_tokens_details?.cached_tokens;
  const reasoning = usage.output_tokens_details?.reasoning_tokens;
  return {
    ...(usage.input_tokens === undefined ? {} : { inputTokens: usage.input_tokens }),
    ...(usage.output_tokens === undefined ? {} : { outputTokens: usage.output_tokens }),
    ...(typeof cached !== "number" ? {} : { cachedInputTokens: cached }),
    ...(typeof reasoning !== "number" ? {} : { reasoningTokens: reasoning }),
  };
}

function listOf(value: unknown): readonly Item[] {
  return Array.isArray(value) ? (value as Item[]) : [];
}
