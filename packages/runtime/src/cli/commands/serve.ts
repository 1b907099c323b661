import { readFile } from "node:fs/promises";
import { openEngine } from "../../durable/engine.js";
import { isLoopback } from "../../server/guard.js";
import { serve } from "../../server/serve.js";
import { type CommandInput, type CommandOptions, type ExitStatus, textOption, textOptions } from "../command.js";
import { describeFailure } from "../describe-failure.js";
import { openStore } from "../open-store.js";
import type { Terminal } from "../terminal.js";
import { UsageError } from "../usage-error.js";
import { withSignals } from "../with-signals.js";
import { openProject } from "./project.js";

const SHORTEST_TOKEN = 16;

/** `callsign serve` */
export async function runServe({ options }: CommandInput, terminal: Terminal): Promise<ExitStatus> {
  const host = textOption(options, "host") ?? "127.0.0.1";
  const port = readPort(textOption(options, "port") ?? "8000");
  const token = await readToken(options);
  if (!isLoopback(host) && token === undefined) {
    throw new UsageError(
      `${host} can be reached from other machines, and there is no token`,
      "put one into the environment variable CALLSIGN_TOKEN or into a file for --token-file, or leave --host out",
    );
  }
  const project = await openProject(options);
  if (project.workflows.length === 0) {
    throw new UsageError(`${project.modules.join(", ")} exports no workflow to serve`, "export what workflow() gives");
  }
  const { store, shown } = await openStore(options, { cwd: process.cwd(), create: true });
  const corsOrigins = textOptions(options, "cors-origin");
  const { manifest } = project;
  return withSignals<ExitStatus>(async ({ signal }) => {
    const engine = await openEngine({
      workflows: project.workflows,
      schedules: project.schedules,
      store,
      deps: project.deps,
      ...(manifest === undefined ? {} : { manifest }),
      onError: (error) => terminal.error(describeFailure(error, { debug: options.debug === true }).text),
    });
    try {
      const server = await serve({
        engine,
        host,
        port,
        inspector: options["no-inspector"] !== true,
        ...(token === undefined ? {} : { token }),
        ...(corsOrigins.length === 0 ? {} : { corsOrigins }),
        ...(manifest === undefined ? {} : { manifest }),
      });
      const names = project.workflows.map(({ name }) => name).join(", ");
      if (options.json === true) terminal.out(`${JSON.stringify({ url: server.url, store: shown })}\n`);
      else {
        terminal.error(
          `serving ${names} at ${terminal.paint("error", "bold", server.url)}\n  runs in ${shown}; ${token === undefined ? "this machine only, no token" : "with a token"}; Ctrl-C stops\n`,
        );
      }
      await untilAborted(signal);
      if (options.json !== true) terminal.error("\nstopping: runs under way are finished or kept\n");
      await server.close();
    } finally {
      await engine.stop();
    }
    return 0;
  });
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(
    `--port is ${JSON.stringify(text)}`,
    "give a whole number up to 65535; 0 takes any that is free",
  );
}

/** Of a file before that of the environment: what was named goes before what is only there. */
async function readToken(options: CommandOptions): Promise<string | undefined> {
  const file = textOption(options, "token-file");
  const given = textOption(options, "token");
  if (file !== undefined && given !== undefined) {
    throw new UsageError("--token and --token-file contradict each other", "leave one of them out");
  }
  const [token, from] =
    file !== undefined
      ? [await readTokenFile(file), file]
      : given !== undefined
        ? [given, "--token"]
        : [process.env.CALLSIGN_TOKEN, "CALLSIGN_TOKEN"];
  if (token === undefined || token === "") {
    if (file === undefined) return undefined;
    throw new UsageError(`${file} is empty`, "write the token into it, in one line");
  }
  if (token.length < SHORTEST_TOKEN || /\s/.test(token)) {
    throw new UsageError(
      `the token of ${from} is too short, or has spaces`,
      `give ${SHORTEST_TOKEN} characters or more, such as \`openssl rand -hex 32\` prints`,
    );
  }
  return token;
}

async function readTokenFile(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${path} cannot be read: ${code === "ENOENT" ? "there is no such file" : message}`,
      "give a file that holds the token",
    );
  }
}
