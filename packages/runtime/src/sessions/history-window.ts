import type { Message } from "../model/messages.js";

/**
 * Chooses what of a history a model gets. Pure. Gives back its argument itself when nothing falls away, so that a
 * caller sees whether the beginning changed, and with it what reasoning is bound to.
 */
export type HistoryWindow = (messages: readonly Message[]) => readonly Message[];

/**
 * Keeps the last turns. A turn begins with what the user says and ends before the user speaks again; it is kept whole,
 * so that no call is parted from its result.
 *
 * @param count At least 1.
 *
 * @example
 * import { lastTurns } from "@callsign/runtime"
 *
 * const window = lastTurns(40)
 * const kept = window([{ role: "user", content: [{ type: "text", text: "Hello" }] }])
 */
export function lastTurns(count: number): HistoryWindow {
  if (!Number.isInteger(count) || count < 1) {
    throw new RangeError(`lastTurns() keeps a whole number of turns, at least 1, not ${String(count)}`);
  }
  return (messages) => from(messages, turnStarts(messages).at(-count) ?? 0);
}

/**
 * Keeps as many of the last turns as fit. The last turn is kept whole even when it does not fit by itself: without it
 * there is no question.
 *
 * @param maxTokens Estimated by `estimate`. A real count is often some 20 percent off: leave room.
 * @param options `estimate`: the tokens of one message. Default: four bytes of its texts are a token, a picture is 1000.
 */
export function withinTokens(
  maxTokens: number,
  options: { readonly estimate?: (message: Message) => number } = {},
): HistoryWindow {
  if (!(maxTokens > 0))
    throw new RangeError(`withinTokens() needs a positive number of tokens, not ${String(maxTokens)}`);
  const { estimate = estimateTokens } = options;
  return (messages) => {
    const starts = turnStarts(messages);
    let first = messages.length;
    let tokens = 0;
    let chosen: number | undefined;
    for (const start of [...(starts[0] === 0 ? [] : [0]), ...starts].reverse()) {
      for (const message of messages.slice(start, first)) tokens += estimate(message);
      if (chosen !== undefined && tokens > maxTokens) break;
      chosen = start;
      first = start;
    }
    return from(messages, chosen ?? 0);
  };
}

function from(messages: readonly Message[], start: number): readonly Message[] {
  return start === 0 ? messages : messages.slice(start);
}

/** The positions at which a turn begins and no result is parted from its call. */
function turnStarts(messages: readonly Message[]): number[] {
  const lastResult = new Map<number, number>();
  const callAt = new Map<string, number>();
  for (const [position, message] of messages.entries()) {
    if (message.role === "assistant") {
      for (const part of message.content) if (part.type === "tool_call") callAt.set(part.id, position);
    } else if (message.role === "tool") {
      for (const { callId } of message.content) {
        const call = callAt.get(callId);
        if (call !== undefined) lastResult.set(call, position);
      }
    }
  }
  const starts: number[] = [];
  let openUntil = -1;
  for (const position of messages.keys()) {
    if (position > openUntil && beginsTurn(messages, position)) starts.push(position);
    openUntil = Math.max(openUntil, lastResult.get(position) ?? -1);
  }
  return starts;
}

/** Several messages of a user in a row are one turn, with the instructions among them. */
function beginsTurn(messages: readonly Message[], position: number): boolean {
  if (!isInput(messages[position]) || isInput(messages[position - 1])) return false;
  for (let next = position; isInput(messages[next]); next += 1) if (messages[next]?.role === "user") return true;
  return false;
}

function isInput(message: Message | undefined): boolean {
  return message?.role === "user" || message?.role === "system";
}

const BYTES_OF_A_TOKEN = 4;
const TOKENS_OF_A_PICTURE = 1000;

/** About as many tokens as a model reads for this message. */
export function estimateTokens(message: Message): number {
  let bytes = 0;
  let pictures = 0;
  JSON.stringify(message, (_, value: unknown) => {
    if (typeof value === "string") bytes += Buffer.byteLength(value);
    if (typeof value === "object" && value !== null && (value as { type?: unknown }).type === "image") {
      pictures += 1;
      return undefined;
    }
    return value;
  });
  return Math.ceil(bytes / BYTES_OF_A_TOKEN) + pictures * TOKENS_OF_A_PICTURE;
}
