import type { Agent } from "../../agent/agent.js";
import { terminalEvent } from "../../agent/agent-run.js";
import type { RunEvent } from "../../events/run-events.js";
import { printResult } from "../carry-on.js";
import { chooseAgent } from "../choose-agent.js";
import type { CommandInput, ExitStatus } from "../command.js";
import { describeFailure } from "../describe-failure.js";
import { LinesIn } from "../lines-in.js";
import { asCall } from "../show-activity.js";
import { EventView } from "../show-events.js";
import type { Terminal } from "../terminal.js";
import { UsageError } from "../usage-error.js";
import { type Interruption, orInterrupted, withSignals } from "../with-signals.js";
import { withoutSecrets } from "../without-secrets.js";

const NOBODY = "nobody is here to decide";

/** `callsign ask "question"` */
export async function runAsk(input: CommandInput, terminal: Terminal): Promise<ExitStatus> {
  return input.options.json === true
    ? askAsJson(input, terminal)
    : withSignals((stop) => ask(input, { terminal, stop }));
}

async function ask(
  { arguments: words, options }: CommandInput,
  { terminal, stop }: { readonly terminal: Terminal; readonly stop: Interruption },
): Promise<ExitStatus> {
  const prepared = await prepare({ arguments: words, options }, { terminal, signal: stop.signal }).catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
  if (prepared === undefined) return stop.status() ?? 1;
  const { question, asked } = prepared;
  // In a pipe only the answer counts, not what the model says on the way to it.
  const showsTokens = terminal.isTerminal.out && options.output === undefined;
  const view = new EventView(terminal, { showsTokens, isQuiet: options.quiet === true });
  const run = asked.stream(question, { signal: stop.signal });
  for await (const event of run) {
    view.show(event);
    if (event.type === "approval_requested" && run.pendingApprovals.includes(event.id)) {
      const answer = options.yes === true || (await askPerson(event, { terminal, signal: stop.signal }));
      if (stop.signal.aborted) continue;
      if (answer === true) run.approve(event.id);
      else run.deny(event.id, answer === false ? undefined : answer);
    }
    if (event.type === "done" && !(showsTokens && event.value === event.content)) {
      printResult(event.value, terminal);
    }
  }
  try {
    await run.result;
    return 0;
  } catch (error) {
    view.endLine();
    if (stop.signal.aborted) return stop.status() ?? 1;
    const failure = describeFailure(error, { debug: options.debug === true });
    terminal.error(failure.text);
    return failure.status;
  }
}

async function prepare(
  { arguments: words, options }: CommandInput,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<{ readonly question: string; readonly asked: Agent<unknown> }> {
  const question = await orInterrupted(readQuestion(words[0] ?? "", terminal), signal);
  return { question, asked: await orInterrupted(chooseAgent(options), signal) };
}

/** @returns Whether the call may run, or why nobody could say. */
async function askPerson(
  { name, args }: Extract<RunEvent, { type: "approval_requested" }>,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<boolean | string> {
  const { isTerminal, paint, error } = terminal;
  if (!isTerminal.in || !isTerminal.error) {
    error(
      `  ${name} needs approval, and nobody is here to decide: --yes lets such calls run, \`callsign chat\` asks\n`,
    );
    return NOBODY;
  }
  // In its raw mode the terminal gives Ctrl-C as a key.
  const lines = new LinesIn({ isTerminal: true, onInterrupt: () => process.kill(process.pid, "SIGINT") });
  signal.addEventListener("abort", () => lines.cancel(), { once: true });
  const answer = await lines.next(`${paint("error", "yellow", "?")} ${asCall(name, args)}: may it run? [y/N] `);
  lines.close();
  return /^y(?:es)?$/i.test(answer?.trim() ?? "");
}

async function readQuestion(given: string, terminal: Terminal): Promise<string> {
  const question = given === "-" ? await terminal.readAll() : given;
  if (question.trim() !== "") return question;
  throw new UsageError(
    "the question is empty",
    "write it as one argument in quotes, or give it by - on the standard input",
  );
}

/** Every event is one line; the last one is `done` or `error`, whatever happens, and there is one of these. */
async function askAsJson(input: CommandInput, terminal: Terminal): Promise<ExitStatus> {
  const events = new JsonEvents(terminal);
  return withSignals(async ({ signal }) => {
    try {
      const { question, asked } = await prepare(input, { terminal, signal });
      const run = asked.stream(question, { signal });
      for await (const event of run) {
        events.print(event);
        if (event.type === "approval_requested" && run.pendingApprovals.includes(event.id)) {
          if (input.options.yes === true) run.approve(event.id);
          else run.deny(event.id, NOBODY);
        }
      }
    } catch (error) {
      events.fail(error);
    }
    return events.hasFailed ? 1 : 0;
  });
}

/** The event stream of one question. */
export class JsonEvents {
  readonly #terminal: Terminal;
  #last: RunEvent | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    // A tool may end the process, or nothing may be left to wait for: the stream is ended all the same.
    process.once("exit", () => {
      if (this.#last !== undefined && isLast(this.#last)) return;
      this.print({
        type: "error",
        code: "unexpected",
        message: "the process was ended during the run",
        retryable: false,
      });
      process.exitCode = 1;
    });
  }

  get hasFailed(): boolean {
    return this.#last?.type !== "done";
  }

  print(event: RunEvent): void {
    if (this.#last !== undefined && isLast(this.#last)) return;
    this.#last = event;
    const shown = event.type === "error" ? { ...event, message: withoutSecrets(event.message) } : event;
    this.#terminal.out(`${JSON.stringify(shown)}\n`);
  }

  /** Ends the stream with whatever was thrown. */
  fail(error: unknown): void {
    const { code, message } = describeFailure(error, { debug: false });
    this.print({ ...terminalEvent(error), code, message });
  }
}

function isLast({ type }: RunEvent): boolean {
  return type === "done" || type === "error";
}
