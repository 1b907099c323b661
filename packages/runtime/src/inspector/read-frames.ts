import type { Json } from "../manifest/json-schema.js";

/** One server-sent event of a run, with its details. */
export interface Frame {
  /** Of stored events. */
  readonly seq?: number;
  readonly type: string;
  readonly value?: Json;
  readonly name?: string;
  readonly taskId?: string;
  readonly time?: number;
}

/** The frames of an event stream, as they come, until it ends or nobody wants more. */
export async function* readFrames(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Frame, void> {
  const reader = body.getReader();
  const leave = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const frame = readFrame(block);
        if (frame !== undefined) yield frame;
      }
    }
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}

function readFrame(block: string): Frame | undefined {
  let id: string | undefined;
  let data: string | undefined;
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("data: ")) data = line.slice(6);
  }
  if (data === undefined) return undefined;
  const frame = JSON.parse(data) as Frame;
  return id === undefined ? frame : { ...frame, seq: Number(id) };
}
