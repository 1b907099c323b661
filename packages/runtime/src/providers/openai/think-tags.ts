const OPENING = "<think>";
const CLOSING = "</think>";

/** Parts the thoughts from the text where a bare server leaves `<think>…</think>` at the start of the content. */
export class ThinkTags {
  #state: "start" | "thinking" | "after" | "text" = "start";
  #held = "";

  push(text: string): { readonly reasoning: string; readonly text: string } {
    if (this.#state === "text") return { reasoning: "", text };
    if (this.#state === "after") return { reasoning: "", text: this.#begin(text) };
    this.#held += text;
    if (this.#state === "start") {
      const begun = this.#held.trimStart();
      if (begun.startsWith(OPENING)) {
        this.#state = "thinking";
        this.#held = begun.slice(OPENING.length);
      } else if (OPENING.startsWith(begun)) return { reasoning: "", text: "" };
      else {
        const held = this.#held;
        this.#state = "text";
        this.#held = "";
        return { reasoning: "", text: held };
      }
    }
    const end = this.#held.indexOf(CLOSING);
    if (end !== -1) {
      const reasoning = this.#held.slice(0, end);
      const rest = this.#held.slice(end + CLOSING.length);
      this.#held = "";
      return { reasoning, text: this.#begin(rest) };
    }
    // Held back: what may be the beginning of the closing tag.
    const safe = this.#held.length - overlap(this.#held);
    const reasoning = this.#held.slice(0, safe);
    this.#held = this.#held.slice(safe);
    return { reasoning, text: "" };
  }

  /** What was held back when the stream ended. */
  end(): { readonly reasoning: string; readonly text: string } {
    const held = this.#held;
    this.#held = "";
    return this.#state === "thinking" ? { reasoning: held, text: "" } : { reasoning: "", text: held };
  }

  /** The text after the thoughts begins with its first visible character. */
  #begin(text: string): string {
    const visible = text.trimStart();
    this.#state = visible === "" ? "after" : "text";
    return visible;
  }
}

function overlap(text: string): number {
  for (let length = Math.min(CLOSING.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(CLOSING.slice(0, length))) return length;
  }
  return 0;
}
