import type { RunEvent } from "../events/run-events.js";
import { asCall, inOneLine } from "./show-activity.js";
import type { Terminal } from "./terminal.js";
import { withoutControls } from "./without-controls.js";

/**
 * Shows the events of an agent to a person: what happens on the error stream, the answer's words as they come on the
 * standard output, where that is a terminal.
 */
export class EventView {
  readonly #terminal: Terminal;
  readonly #showsTokens: boolean;
  readonly #isQuiet: boolean;
  #isInLine = false;

  constructor(
    terminal: Terminal,
    { showsTokens, isQuiet }: { readonly showsTokens: boolean; readonly isQuiet: boolean },
  ) {
    this.#terminal = terminal;
    this.#showsTokens = showsTokens;
    this.#isQuiet = isQuiet;
  }

  show(event: RunEvent): void {
    if (event.type === "token") {
      if (!this.#showsTokens || event.text === "") return;
      this.#terminal.out(withoutControls(event.text));
      this.#isInLine = !event.text.endsWith("\n");
      return;
    }
    const lines = this.#isQuiet ? [] : linesOf(event, this.#terminal.paint);
    if (lines.length > 0 || event.type === "done") this.endLine();
    for (const line of lines) this.#terminal.error(`${line}\n`);
  }

  /** What is printed next begins a line. */
  endLine(): void {
    if (this.#isInLine) this.#terminal.out("\n");
    this.#isInLine = false;
  }
}

function linesOf(event: RunEvent, paint: Terminal["paint"]): readonly string[] {
  switch (event.type) {
    case "tool_start":
      return [`${paint("error", "cyan", "→")} ${asCall(event.name, event.args)}`];
    case "tool_progress":
      return [paint("error", "dim", `  … ${inOneLine(event.value)}`)];
    case "tool_done": {
      const sign = event.status === "success" ? paint("error", "green", "←") : paint("error", "red", "✗");
      return [`${sign} ${event.name} ${inOneLine(event.result)}`];
    }
    case "handoff":
      return [paint("error", "dim", `  ${event.from} hands over to ${event.to}`)];
    case "retry":
      return [paint("error", "yellow", `  … asks again in ${(event.waitMs / 1_000).toFixed(1)} s: ${event.reason}`)];
    case "done": {
      const stop = event.stop === "end" ? [] : [`stopped by: ${event.stop}`];
      return [...(event.notes ?? []), ...stop].map((note) => paint("error", "yellow", `  ${note}`));
    }
    default:
      return [];
  }
}
