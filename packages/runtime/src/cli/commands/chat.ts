import { MemorySessionStore } from "../../sessions/memory-session-store.js";
import { Runner } from "../../sessions/runner.js";
import type { SessionRun } from "../../sessions/session-run.js";
import type { SessionStore } from "../../sessions/session-store.js";
import { printResult } from "../carry-on.js";
import { chooseAgent } from "../choose-agent.js";
import { type CommandInput, type CommandOptions, type ExitStatus, textOption } from "../command.js";
import { describeFailure } from "../describe-failure.js";
import { LinesIn } from "../lines-in.js";
import { asCall } from "../show-activity.js";
import { EventView } from "../show-events.js";
import type { Terminal } from "../terminal.js";

/** `callsign chat` */
export async function runChat({ options }: CommandInput, terminal: Terminal): Promise<ExitStatus> {
  const agent = await chooseAgent(options);
  const sessionId = textOption(options, "session") ?? "chat";
  const runner = new Runner({ agent, sessionStore: await openSessions(options) });
  const chat = new Chat(runner, { sessionId, terminal, options });
  return chat.run();
}

async function openSessions(options: CommandOptions): Promise<SessionStore> {
  if (textOption(options, "session") === undefined) return new MemorySessionStore();
  const { mkdirSync } = await import("node:fs");
  const { SqliteSessionStore } = await import("../../sqlite/sqlite-session-store.js");
  mkdirSync(".callsign", { recursive: true });
  return new SqliteSessionStore(".callsign/sessions.db");
}

interface ChatOptions {
  readonly sessionId: string;
  readonly terminal: Terminal;
  readonly options: CommandOptions;
}

class Chat {
  readonly #runner: Runner<unknown>;
  readonly #options: ChatOptions;
  readonly #lines: LinesIn;
  readonly #view: EventView;
  readonly #isTyped: boolean;
  #turn: SessionRun<unknown> | undefined;
  #wasInterrupted = false;
  #isLeft = false;
  #failures = 0;

  constructor(runner: Runner<unknown>, options: ChatOptions) {
    const { isTerminal } = options.terminal;
    this.#runner = runner;
    this.#options = options;
    this.#isTyped = isTerminal.in && isTerminal.error;
    this.#lines = new LinesIn({ isTerminal: this.#isTyped, onInterrupt: () => this.#interrupt() });
    this.#view = new EventView(options.terminal, {
      showsTokens: this.#showsTokens,
      isQuiet: options.options.quiet === true,
    });
  }

  get #showsTokens(): boolean {
    return this.#options.terminal.isTerminal.out;
  }

  async run(): Promise<ExitStatus> {
    const { terminal } = this.#options;
    const onInterrupt = (): void => this.#interrupt();
    const onEnd = (): void => process.exit(143);
    process.on("SIGINT", onInterrupt).on("SIGTERM", onEnd);
    if (this.#isTyped) {
      terminal.error(
        terminal.paint("error", "dim", "Ctrl-C stops an answer, once more leaves; so do /exit and Ctrl-D.\n"),
      );
    }
    for (;;) {
      const line = this.#isLeft ? undefined : await this.#lines.next(terminal.paint("error", "bold", "> "));
      if (line === undefined || /^\/(?:exit|quit)$/.test(line.trim())) break;
      if (line.trim() !== "") await this.#take(line);
    }
    this.#lines.close();
    process.off("SIGINT", onInterrupt).off("SIGTERM", onEnd);
    if (this.#isLeft) return 130;
    // A script that sent its lines wants to know; a person has seen it.
    return this.#failures > 0 && !this.#isTyped ? 1 : 0;
  }

  async #take(message: string): Promise<void> {
    const { terminal, sessionId, options } = this.#options;
    this.#wasInterrupted = false;
    const turn = this.#runner.stream({ sessionId, message });
    this.#turn = turn;
    for await (const event of turn) {
      this.#view.show(event);
      if (event.type === "approval_requested" && turn.pendingApprovals.includes(event.id)) {
        const isGranted = options.yes === true || (await this.#mayRun(asCall(event.name, event.args)));
        // The turn may have been stopped meanwhile.
        if (!turn.pendingApprovals.includes(event.id)) continue;
        if (isGranted) turn.approve(event.id);
        else turn.deny(event.id);
      }
      if (event.type === "done" && !(this.#showsTokens && event.value === event.content)) {
        printResult(event.value, terminal);
      }
      if (event.type === "error") {
        this.#view.endLine();
        if (this.#wasInterrupted && event.code === "aborted") terminal.error("(stopped; this turn is not kept)\n");
        else {
          this.#failures += 1;
          const error = await turn.result.catch((thrown: unknown) => thrown);
          terminal.error(describeFailure(error, { debug: options.debug === true }).text);
        }
      }
    }
    this.#turn = undefined;
  }

  async #mayRun(call: string): Promise<boolean> {
    const { paint } = this.#options.terminal;
    const answer = await this.#lines.next(`${paint("error", "yellow", "?")} ${call}: may it run? [y/N] `);
    return /^y(?:es)?$/i.test(answer?.trim() ?? "");
  }

  /** The first one stops the answer, or warns where there is none; the second one leaves. */
  #interrupt(): void {
    const { terminal } = this.#options;
    if (this.#wasInterrupted) {
      this.#isLeft = true;
      this.#turn?.abort();
      this.#lines.close();
      return;
    }
    this.#wasInterrupted = true;
    if (this.#turn !== undefined) {
      this.#turn.abort();
      // It may be waiting for a decision.
      this.#lines.cancel();
    } else terminal.error("\n(Ctrl-C once more leaves)\n");
  }
}
