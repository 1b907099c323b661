import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import type { Json } from "../../manifest/json-schema.js";
import type { AssistantPart, NativeData } from "../../model/messages.js";
import type { ModelEvent, ModelReply, StopReason } from "../../model/model-events.js";
import type { Usage } from "../../model/usage.js";

/** A block of a reply, of which only what we read is known. */
interface Block {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface OpenBlock {
  readonly block: Block;
  text: string;
  signature: string;
  json: string;
  citations: Json[];
}

interface RawMessage {
  readonly id?: string;
  readonly model?: string;
  readonly stop_reason?: string | null;
  readonly stop_details?: unknown;
  readonly content?: readonly unknown[];
  readonly usage?: unknown;
}

/** Puts a reply of the Messages API together, from a stream or from one piece. */
export class AnthropicReader {
  #open: (OpenBlock | undefined)[] = [];
  readonly #parts: AssistantPart[] = [];
  #id: string | undefined;
  #model: string | undefined;
  #stop: string | undefined;
  #stopDetails: unknown;
  #usage: { [name: string]: unknown } = {};
  #isComplete = false;

  /** Whether the event that ends a reply has come. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  push(event: RawMessageStreamEvent): ModelEvent | undefined {
    switch (event.type) {
      case "content_block_delta": {
        const open = this.#open[event.index];
        return open === undefined ? undefined : addDelta(open, event.delta as unknown as Block);
      }
      case "content_block_start":
        return this.#start(event.index, event.content_block as unknown as Block);
      case "content_block_stop":
        this.#close(event.index);
        return undefined;
      case "message_start":
        this.#head(event.message as unknown as RawMessage);
        return undefined;
      case "message_delta": {
        this.#stop = event.delta.stop_reason ?? this.#stop;
        this.#stopDetails = (event.delta as { stop_details?: unknown }).stop_details ?? this.#stopDetails;
        this.#addUsage(event.usage);
        return undefined;
      }
      case "message_stop":
        this.#isComplete = true;
        return undefined;
      default:
        return undefined;
    }
  }

  /** A whole message, as an unstreamed request gets it. */
  *readWhole(message: RawMessage): Generator<ModelEvent> {
    this.#head(message);
    this.#stop = message.stop_reason ?? undefined;
    this.#stopDetails = message.stop_details;
    for (const block of (message.content ?? []) as Block[]) {
      const part = partOf(block, JSON.stringify(block.input ?? {}));
      this.#parts.push(part);
      if ((part.type === "text" || part.type === "reasoning") && part.text !== "") {
        yield { type: part.type, text: part.text };
      }
    }
    this.#isComplete = true;
  }

  reply(request: { readonly provider: string; readonly model: string; readonly notes: readonly string[] }): ModelReply {
    for (const index of this.#open.keys()) this.#close(index);
    const refusal = refusalText(this.#stopDetails);
    return {
      message: { role: "assistant", content: this.#parts, model: `${request.provider}/${request.model}` },
      stop: stopReason(this.#stop, this.#parts),
      ...(this.#stop === undefined ? {} : { rawStop: this.#stop }),
      usage: usageOf(this.#usage),
      ...(refusal === undefined ? {} : { refusal }),
      ...(this.#model === undefined ? {} : { servedModel: this.#model }),
      ...(this.#id === undefined ? {} : { responseId: this.#id }),
      notes: request.notes,
    };
  }

  #head(message: RawMessage): void {
    this.#id = message.id;
    this.#model = message.model;
    this.#addUsage(message.usage);
  }

  #start(index: number, block: Block): ModelEvent | undefined {
    const text = String(block.text ?? block.thinking ?? "");
    this.#open[index] = { block, text, signature: String(block.signature ?? ""), json: "", citations: [] };
    if (text === "") return undefined;
    return { type: block.type === "thinking" ? "reasoning" : "text", text };
  }

  #close(index: number): void {
    const open = this.#open[index];
    if (open === undefined) return;
    this.#open[index] = undefined;
    const { block, text, signature, json, citations } = open;
    if (block.type === "thinking") this.#parts.push(partOf({ ...block, thinking: text, signature }, ""));
    else if (block.type === "text") {
      this.#parts.push(partOf({ ...block, text, ...(citations.length === 0 ? {} : { citations }) }, ""));
    } else {
      const given = block.input as object | undefined;
      const whole = json === "" && given !== undefined && Object.keys(given).length > 0 ? JSON.stringify(given) : json;
      // A block of the server's own tools is kept with its input, which came in pieces too.
      const isOwn = block.type === "tool_use";
      this.#parts.push(partOf(isOwn || whole === "" ? block : { ...block, input: parsed(whole) }, whole));
    }
  }

  /** Numbers are totals so far, so that the last one of each counts. */
  #addUsage(usage: unknown): void {
    for (const [name, value] of Object.entries((usage ?? {}) as object)) {
      if (value !== null && value !== undefined) this.#usage[name] = value;
    }
  }
}

function addDelta(open: OpenBlock, delta: Block): ModelEvent | undefined {
  switch (delta.type) {
    case "text_delta": {
      const text = delta.text as string;
      open.text += text;
      return text === "" ? undefined : { type: "text", text };
    }
    case "thinking_delta": {
      const text = String(delta.thinking);
      open.text += text;
      return text === "" ? undefined : { type: "reasoning", text };
    }
    case "input_json_delta":
      open.json += String(delta.partial_json);
      return undefined;
    case "signature_delta":
      open.signature += String(delta.signature);
      return undefined;
    case "citations_delta":
      open.citations.push(delta.citation as Json);
      return undefined;
    default:
      return undefined;
  }
}

function partOf(block: Block, json: string): AssistantPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: String(block.text ?? ""), ...extraOf(block, ["type", "text"]) };
    case "thinking":
      return { type: "reasoning", text: String(block.thinking ?? ""), native: nativeData(block) };
    case "redacted_thinking":
      return { type: "reasoning", text: "", native: nativeData(block) };
    case "tool_use":
      return {
        type: "tool_call",
        id: String(block.id),
        name: String(block.name),
        arguments: json,
        ...extraOf(block, ["type", "id", "name", "input"]),
      };
    default:
      return { type: "native", native: nativeData(block) };
  }
}

/** What a block has beyond the neutral part, so that it can be sent back whole. */
function extraOf(block: Block, known: readonly string[]): { native?: NativeData } {
  const extra = Object.entries(block).filter(([name, value]) => !known.includes(name) && value !== null);
  return extra.length === 0 ? {} : { native: { api: "anthropic", value: Object.fromEntries(extra) as Json } };
}

function nativeData(block: Block): NativeData {
  return { api: "anthropic", value: block as Json };
}

function parsed(json: string): Json {
  try {
    return JSON.parse(json) as Json;
  } catch {
    return {};
  }
}

function stopReason(stop: string | undefined, parts: readonly AssistantPart[]): StopReason {
  if (stop === "max_tokens" || stop === "model_context_window_exceeded") return "length";
  if (stop === "refusal") return "refusal";
  if (parts.some((part) => part.type === "tool_call")) return "tool";
  if (stop === "pause_turn") return "pause";
  return stop === "end_turn" || stop === "stop_sequence" || stop === "tool_use" ? "end" : "error";
}

function refusalText(details: unknown): string | undefined {
  const { explanation, category } = (details ?? {}) as { explanation?: unknown; category?: unknown };
  const said = explanation ?? category;
  return typeof said === "string" ? said : undefined;
}

function usageOf(raw: { readonly [name: string]: unknown }): Usage {
  const number = (value: unknown) => (typeof value === "number" ? value : undefined);
  const read = number(raw.cache_read_input_tokens);
  const written = number(raw.cache_creation_input_tokens);
  const input = number(raw.input_tokens);
  const output = number(raw.output_tokens);
  const thinking = number((raw.output_tokens_details as { thinking_tokens?: unknown } | undefined)?.thinking_tokens);
  return {
    ...(input === undefined ? {} : { inputTokens: input + (read ?? 0) + (written ?? 0) }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(read === undefined ? {} : { cachedInputTokens: read }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(thinking === undefined ? {} : { reasoningTokens: thinking }),
  };
}
