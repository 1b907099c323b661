import type { Message, ToolCallPart, ToolResultPart } from "../model/messages.js";

/**
 * The messages as every provider takes them: each call has an id of its own and one result, in the very next message and
 * in the order of the calls. A conversation that was cut (by a window, an abort, a hand) has calls without results, which
 * get one that says so, and results without their call, which no provider takes. Pure; gives back its argument when all
 * is well.
 */
export function pairResults(messages: readonly Message[]): readonly Message[] {
  if (arePaired(messages)) return messages;
  const paired: Message[] = [];
  const ids = new Set<string>();
  for (const [position, message] of messages.entries()) {
    if (message.role === "tool") continue;
    if (message.role !== "assistant" || callsOf(message).length === 0) {
      paired.push(message);
      continue;
    }
    const found = resultsAfter(messages, position);
    const results: ToolResultPart[] = [];
    const content = message.content.map((part) => {
      if (part.type !== "tool_call") return part;
      const call = withOwnId(part, ids);
      // Of two results of one call the first one is what the model saw.
      const result = found.get(part.id)?.shift() ?? missing(part);
      results.push(call === part ? result : { ...result, callId: call.id });
      return call;
    });
    paired.push({ ...message, content }, { role: "tool", content: results });
  }
  return paired;
}

/**
 * The call under an id that no other call has, which is remembered in `ids`. Two calls of one id could not be told
 * apart, neither by us nor by the provider.
 */
export function withOwnId(call: ToolCallPart, ids: Set<string>): ToolCallPart {
  let id = call.id;
  for (let count = 2; ids.has(id); count += 1) id = `${call.id}_${count}`;
  ids.add(id);
  if (id === call.id) return call;
  const { native: _, ...bare } = call;
  return { ...bare, id };
}

function arePaired(messages: readonly Message[]): boolean {
  const ids = new Set<string>();
  return messages.every((message, position) => {
    if (message.role === "tool") return messages[position - 1]?.role === "assistant" && message.content.length > 0;
    const calls = callsOf(message);
    const next = messages[position + 1];
    const results = next?.role === "tool" ? next.content : [];
    return (
      calls.length === results.length &&
      calls.every(({ id }, index) => results[index]?.callId === id && !ids.has(id) && ids.add(id))
    );
  });
}

/** The results in the messages right after this one, by the id of their call. */
function resultsAfter(messages: readonly Message[], position: number): ReadonlyMap<string, ToolResultPart[]> {
  const results = new Map<string, ToolResultPart[]>();
  for (let next = position + 1; ; next += 1) {
    const message = messages[next];
    if (message?.role !== "tool") return results;
    for (const result of message.content) {
      const same = results.get(result.callId);
      if (same === undefined) results.set(result.callId, [result]);
      else same.push(result);
    }
  }
}

function callsOf(message: Message): readonly ToolCallPart[] {
  return message.role === "assistant" ? message.content.filter((part) => part.type === "tool_call") : [];
}

function missing({ id, name }: ToolCallPart): ToolResultPart {
  const text = "The result is not known: the conversation was cut here.";
  return { type: "tool_result", callId: id, name, content: [{ type: "text", text }], isError: true };
}
