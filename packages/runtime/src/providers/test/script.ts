import { AgentError } from "../../errors/agent-error.js";
import type { Json } from "../../manifest/json-schema.js";
import type { AssistantPart, ToolCallPart } from "../../model/messages.js";
import type { ModelEvent, StopReason } from "../../model/model-events.js";
import type { ModelRequest, Provider } from "../../model/provider.js";
import { ProviderError, type ProviderErrorCode } from "../../model/provider-error.js";
import type { Usage } from "../../model/usage.js";
import { beginCall, type ModelCall } from "../model-call.js";
import { isRetryable } from "../provider-failure.js";
import { estimateUsage } from "./estimate-usage.js";

/** One reply of a scripted model: what it thinks, says and calls, in this order. JSON, so that it may stand in a file. */
export interface ScriptStep {
  readonly reasoning?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ScriptCall[];
  /** Default: `tool` with calls, else `end`. */
  readonly stop?: StopReason;
  /** Why the model refused. */
  readonly refusal?: string;
  /** Default: estimated from the lengths of the request and the reply. */
  readonly usage?: Usage;
  /** Between tokens. Default: none. */
  readonly delayMs?: number;
  /** The request fails, after whatever of `reasoning` and `text` was shown. */
  readonly fails?: ScriptFailure;
}

export interface ScriptCall {
  readonly name: string;
  /** A string is the argument text itself, which may be broken. */
  readonly arguments: { readonly [name: string]: Json } | string;
  /** Default: made from the position in the conversation. */
  readonly id?: string;
}

/** How a request fails: what a `ProviderError` says. */
export interface ScriptFailure {
  readonly code: ProviderErrorCode;
  readonly message?: string;
  /** Default: as the code says. */
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly status?: number;
}

/** A step, an error to throw, or what makes one of them when it sees the request. */
export type ScriptReply = ScriptStep | Error | ((request: ModelRequest) => ScriptAnswer | Promise<ScriptAnswer>);

type ScriptAnswer = ScriptStep | Error;

export interface ScriptOptions {
  /** For messages. */
  readonly name: string;
  /**
   * - `history` (the default): a request gets the reply after those that its conversation holds already, so that every
   *   conversation begins at the first one, also in another process. Failures stand before the reply that a repeated
   *   request gets at last.
   * - `requests`: each request gets the next reply, whatever it holds.
   */
  readonly by?: "history" | "requests" | undefined;
  readonly delayMs?: number | undefined;
}

/** A model that answers by a list. */
export class Script implements Provider {
  readonly name = "test";
  readonly #replies: readonly ScriptReply[];
  readonly #options: ScriptOptions;
  #requests = 0;
  /** How often a conversation failed at its present point. */
  readonly #failures = new Map<string, number>();

  constructor(replies: readonly ScriptReply[], options: ScriptOptions) {
    this.#replies = replies;
    this.#options = options;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const step = await this.#next(request);
    if (step instanceof Error) throw step;
    const call = beginCall(request, "test", () => undefined);
    try {
      yield* play(step, { request, call, delayMs: step.delayMs ?? this.#options.delayMs ?? 0 });
    } finally {
      call.end();
    }
  }

  async #next(request: ModelRequest): Promise<ScriptAnswer> {
    const answer = async (reply: ScriptReply): Promise<ScriptAnswer> =>
      typeof reply === "function" ? reply(request) : reply;
    if (this.#options.by === "requests") {
      const reply = this.#replies[this.#requests++];
      if (reply === undefined) throw this.#ended(this.#requests);
      return answer(reply);
    }
    const position = repliesIn(request);
    let seen = 0;
    const failures: ScriptReply[] = [];
    for (const reply of this.#replies) {
      const skipped = seen < position;
      if (isFailure(reply)) {
        if (!skipped) failures.push(reply);
      } else if (skipped) {
        seen += 1;
      } else {
        return answer(this.#nextFailure(request, failures) ?? reply);
      }
    }
    const failure = this.#nextFailure(request, failures) ?? failures.at(-1);
    if (failure === undefined) throw this.#ended(position + 1);
    return answer(failure);
  }

  /** Of the failures before a reply, a request and its repetitions get one after another. */
  #nextFailure(request: ModelRequest, failures: readonly ScriptReply[]): ScriptReply | undefined {
    if (failures.length === 0) return undefined;
    const key = JSON.stringify(request.messages);
    const count = this.#failures.get(key) ?? 0;
    this.#failures.set(key, count + 1);
    return failures[count];
  }

  #ended(position: number): AgentError {
    const count = this.#replies.length;
    return new AgentError(
      `the script ${this.#options.name} has ${count} ${count === 1 ? "reply" : "replies"}, and reply ${position} was asked for; add one, or see why the model is asked again`,
      { code: "script-ended" },
    );
  }
}

/** What leaves no reply in the conversation, so that the request comes again. */
function isFailure(reply: ScriptReply): boolean {
  if (typeof reply === "function") return false;
  return reply instanceof Error || reply.fails !== undefined || reply.stop === "malformed" || reply.stop === "error";
}

function repliesIn(request: ModelRequest): number {
  return request.messages.filter(({ role }) => role === "assistant").length;
}

interface Playing {
  readonly request: ModelRequest;
  readonly call: ModelCall;
  readonly delayMs: number;
}

async function* play(step: ScriptStep, playing: Playing): AsyncGenerator<ModelEvent> {
  const { request, call } = playing;
  const content: AssistantPart[] = [];
  if (call.signal.aborted) throw call.failure(call.signal.reason);
  for (const type of ["reasoning", "text"] as const) {
    const text = step[type];
    if (text === undefined) continue;
    for (const piece of request.stream === false ? [text] : (text.match(/\s*\S+\s*|\s+/g) ?? [])) {
      await pause(playing);
      yield { type, text: piece };
    }
    content.push({ type, text });
  }
  await pause(playing);
  if (step.fails !== undefined) throw providerError(step.fails, request);
  const turn = repliesIn(request);
  const calls = (step.toolCalls ?? []).map(
    ({ id, name, arguments: args }, index): ToolCallPart => ({
      type: "tool_call",
      id: id ?? `call_${turn}_${index}`,
      name,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
    }),
  );
  content.push(...calls);
  yield {
    type: "reply",
    reply: {
      message: { role: "assistant", content },
      stop: step.stop ?? (calls.length > 0 ? "tool" : "end"),
      usage: step.usage ?? estimateUsage(request, content),
      ...(step.refusal === undefined ? {} : { refusal: step.refusal }),
      notes: [],
    },
  };
}

async function pause({ call, delayMs }: Playing): Promise<void> {
  const { signal } = call;
  if (delayMs > 0 && !signal.aborted) {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, delayMs);
      signal.addEventListener("abort", end);
    });
  }
  if (signal.aborted) throw call.failure(signal.reason);
}

function providerError({ code, message, retryable, retryAfterMs, status }: ScriptFailure, request: ModelRequest) {
  return new ProviderError(`test/${request.model}: ${message ?? `failed as the script says: ${code}`}`, {
    code,
    provider: "test",
    model: request.model,
    retryable: retryable ?? isRetryable(code),
    retryAfterMs,
    status,
  });
}
