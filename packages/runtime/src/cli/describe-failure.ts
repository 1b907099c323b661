import type { ExitStatus } from "./command.js";
import { LoadError } from "./load-error.js";
import { nearestWord } from "./nearest-word.js";
import { UsageError } from "./usage-error.js";
import { withoutControls } from "./without-controls.js";
import { withoutSecrets } from "./without-secrets.js";

/** What is wrong with the command line or the project, rather than with what was done. */
const AS_WRITTEN: ReadonlySet<string> = new Set([
  "workflow-unknown",
  "workflow-name",
  "input-refused",
  "run-unknown",
  "run-conflict",
  "model-unknown",
  "options-invalid",
  "format-unusable",
  "output-with-tools",
  "duplicate-name",
  "authentication",
  "sdk-missing",
  "peer-missing",
  "loader-missing",
  "module-missing",
  "schema-newer",
]);

const HINTS: { readonly [code: string]: string } = {
  "run-unknown": "`callsign runs list` shows those that there are",
  "run-conflict": "leave --run-id out, or give the same input again",
  connection: "is the provider's server running, and can it be reached? --base-url says where it is",
  locked: "another process holds the store; try again, or end that process",
  "read-only": "give a place that can be written to: --store FILE, or CALLSIGN_STORE",
  "schema-newer": "update @callsign/runtime in this project",
  corrupt: "give another file: --store FILE, or CALLSIGN_STORE",
  EADDRINUSE: "another program listens there; choose another port by --port, or 0 for any that is free",
  EACCES: "this address may not be used; choose a port above 1023 by --port",
  EADDRNOTAVAIL: "no network card of this machine has that address; see --host",
};

export interface Failure {
  readonly text: string;
  readonly status: ExitStatus;
  /** In one line, for scripts. */
  readonly message: string;
  readonly code: string;
}

/** What a person is told of whatever ended a command. With `debug` the stack comes after it. */
export function describeFailure(error: unknown, { debug }: { readonly debug: boolean }): Failure {
  const { code, hint, retryable, ...fields } = fieldsOf(error);
  const message = withoutControls(fields.message);
  const isUse = error instanceof UsageError || error instanceof LoadError || AS_WRITTEN.has(code);
  const said = withoutSecrets(message.replaceAll(/^(?=.)/gm, (_, at: number) => (at === 0 ? "" : "  ")));
  const way = hint ?? HINTS[code] ?? (retryable ? "it may succeed later" : undefined);
  const stack = debug && error instanceof Error ? `${withoutSecrets(stackOf(error))}\n` : "";
  return {
    text: `callsign: ${said}\n${way === undefined ? "" : `  hint  ${way}\n`}${stack}`,
    status: isUse ? 2 : 1,
    message: withoutSecrets(way === undefined ? message : `${message}; ${way}`),
    code,
  };
}

function fieldsOf(error: unknown): {
  readonly message: string;
  readonly code: string;
  readonly hint: string | undefined;
  readonly retryable: boolean;
} {
  if (!(error instanceof Error))
    return { message: String(error), code: "unexpected", hint: undefined, retryable: false };
  const { code, hint, retryable } = error as Error & { code?: unknown; hint?: unknown; retryable?: unknown };
  const own = error instanceof UsageError ? "usage" : error instanceof LoadError ? "module-failed" : "unexpected";
  const known = typeof code === "string" ? code : own;
  return {
    message: error.message === "" ? error.name : error.message,
    code: known,
    hint: typeof hint === "string" ? hint : hintOf(known, error.message),
    retryable: retryable === true,
  };
}

function hintOf(code: string, message: string): string | undefined {
  if (code === "not-waiting" && message.startsWith("say which call")) return "name one by --task";
  if (code === "model-unknown") return modelHint(message);
  const workflow = code === "input-refused" ? /does not fit ([^\s:]+):/.exec(message)?.[1] : undefined;
  return workflow === undefined ? undefined : `\`callsign workflow show ${workflow}\` shows the schema of the input`;
}

/** `antropic/claude` was meant for one of the providers that the message lists. */
function modelHint(message: string): string | undefined {
  const [, given = "", known = ""] = /^the model "([^"/]*).* one of the providers (.+)$/.exec(message) ?? [];
  const nearest = nearestWord(given, known.split(", "));
  return nearest === undefined ? undefined : `did you mean ${nearest}/…?`;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : "";
  return `${error.stack ?? error.message}${cause}`;
}
