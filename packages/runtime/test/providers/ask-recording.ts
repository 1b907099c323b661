import type { ModelEvent, ModelReply, Provider } from "../../src/model/index.js";
import { providers } from "../../src/providers/index.js";

/** An answer as bytes, in the network chunks that `cut` makes of it. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly cuts?: readonly number[];
}

/** What a provider made of an answer: its events with texts joined, its reply or its error. */
export interface Heard {
  readonly text: string;
  readonly reasoning: string;
  readonly reply?: ModelReply;
  readonly error?: { readonly code: string; readonly retryable: boolean; readonly status: number | undefined };
}

/** A fetch that answers without a network. */
export function answering({ status, contentType, body, cuts = [] }: Answer): typeof fetch {
  return async () => {
    let position = 0;
    const borders = [...cuts, body.length];
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const end = borders.shift();
        if (end === undefined) controller.close();
        else {
          if (end > position) controller.enqueue(body.subarray(position, end));
          position = Math.max(position, end);
        }
      },
    });
    return new Response(stream, { status, headers: { "content-type": contentType } });
  };
}

const opened = new Map<string, { current: typeof fetch; provider: Promise<Provider> }>();

/** Asks a provider whose network is `answer`. */
export async function ask(
  name: keyof typeof providers,
  answer: Answer,
  options: { readonly model: string; readonly stream: boolean },
): Promise<Heard> {
  let entry = opened.get(name);
  if (entry === undefined) {
    const held: { current: typeof fetch } = { current: answering(answer) };
    const provider = providers[name].open({
      apiKey: "test",
      baseUrl: "http://127.0.0.1:1",
      fetch: (url: Parameters<typeof fetch>[0], init?: RequestInit) => held.current(url, init),
    });
    entry = Object.assign(held, { provider });
    opened.set(name, entry);
  }
  entry.current = answering(answer);
  const provider = await entry.provider;
  let text = "";
  let reasoning = "";
  try {
    const events: AsyncIterable<ModelEvent> = provider.stream({
      model: options.model,
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      stream: options.stream,
    });
    let reply: ModelReply | undefined;
    for await (const event of events) {
      if (reply !== undefined) throw new Error("an event after the reply");
      if (event.type === "text") text += event.text;
      else if (event.type === "reasoning") reasoning += event.text;
      else reply = event.reply;
    }
    if (reply === undefined) throw new Error("no reply and no error");
    return { text, reasoning, reply };
  } catch (thrown) {
    const { code, retryable, status } = thrown as { code: string; retryable: boolean; status: number | undefined };
    if (code === undefined) throw thrown;
    return { text, reasoning, error: { code, retryable, status } };
  }
}
