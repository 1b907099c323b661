import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Agent, agent } from "../agent/agent.js";
import type { AgentOptions } from "../agent/agent-options.js";
import { definitionOf } from "../agent/definition.js";
import type { JsonSchema } from "../manifest/json-schema.js";
import { Schema } from "../schema.js";
import { type CommandOptions, textOption, textOptions } from "./command.js";
import { findModules, MODULE_HINT, shownPath } from "./find-modules.js";
import { loadProject, type Project } from "./load-project.js";
import { suggest } from "./nearest-word.js";
import { UsageError } from "./usage-error.js";

const INSTRUCTIONS = "You are a helpful assistant. Use the tools wherever they know better than you.";

/**
 * The agent that `ask` and `chat` are about: one that a module exports, or one made of `--model` and `--tools`.
 *
 * @throws {UsageError}; what the agent's options do not allow.
 */
export async function chooseAgent(options: CommandOptions): Promise<Agent<unknown>> {
  const cwd = process.cwd();
  const toolModules = textOptions(options, "tools");
  const [name, model] = [textOption(options, "agent"), textOption(options, "model")];
  const isMade = name === undefined && (toolModules.length > 0 || model !== undefined);
  if (isMade && model === undefined) {
    throw new UsageError(
      "--tools needs --model",
      "such as --model anthropic/claude-sonnet-5-5, or offline --model test/auto",
    );
  }
  if (name !== undefined && toolModules.length > 0) {
    throw new UsageError("--agent and --tools contradict each other", "an agent has tools of its own; leave one out");
  }
  const project = isMade ? await loadTools(toolModules, cwd) : await loadAgents(options, cwd);
  const settings = await readSettings(options, { project, cwd });
  if (isMade) {
    return agent<unknown>(textOption(options, "instructions") ?? INSTRUCTIONS, {
      model: model as string,
      ...(project === undefined ? {} : { tools: project.tools }),
      ...settings,
    });
  }
  const chosen = pickAgent(project as Project, name);
  const definition = definitionOf(chosen);
  const instructions = textOption(options, "instructions");
  if (definition === undefined || (Object.keys(settings).length === 0 && instructions === undefined)) return chosen;
  return agent<unknown>(instructions ?? definition.instructions, { ...definition.options, ...settings });
}

async function loadTools(modules: readonly string[], cwd: string): Promise<Project | undefined> {
  if (modules.length === 0) return undefined;
  const project = await loadProject(findModules(modules, cwd, "--tools"), cwd);
  if (project.tools.length > 0) return project;
  throw new UsageError(
    `${project.modules.join(", ")} exports no bound tool`,
    "give the module that `callsignc build` writes, callsign.tools.gen.ts, or one that binds its functions",
  );
}

async function loadAgents(options: CommandOptions, cwd: string): Promise<Project> {
  const paths = findModules(textOptions(options, "module"), cwd);
  if (paths.length > 0) return loadProject(paths, cwd);
  throw new UsageError("there is no module that holds an agent", `${MODULE_HINT}; or give --model, and --tools MODULE`);
}

/** By the name of the export, or the agent's own. */
function pickAgent({ agents, modules }: Project, name: string | undefined): Agent<unknown> {
  const names = [...agents.keys()];
  const where = modules.join(", ");
  if (name !== undefined) {
    const found = agents.get(name) ?? [...agents.values()].find(({ agentName }) => agentName === name);
    if (found !== undefined) return found;
    throw new UsageError(`${where} exports no agent ${JSON.stringify(name)}`, suggest(name, names, "agents"));
  }
  const [only] = agents.values();
  if (only !== undefined && agents.size === 1) return only;
  throw new UsageError(
    only === undefined ? `${where} exports no agent` : `${where} exports more than one agent`,
    only === undefined ? "export what agent() gives, or give --model" : `say which by --agent: ${names.join(", ")}`,
  );
}

type Settings = Partial<
  Pick<AgentOptions<unknown>, "model" | "baseUrl" | "apiKey" | "maxToolCalls" | "responseFormat">
>;

async function readSettings(
  options: CommandOptions,
  { project, cwd }: { readonly project: Project | undefined; readonly cwd: string },
): Promise<Settings> {
  const [model, baseUrl, keyName, output, calls] = ["model", "base-url", "api-key-env", "output", "max-tool-calls"].map(
    (name) => textOption(options, name),
  );
  if (baseUrl !== undefined && !/^https?:\/\/[^/]/.test(baseUrl)) {
    throw new UsageError(`--base-url ${JSON.stringify(baseUrl)} is no address`, "write it with http:// or https://");
  }
  if (calls !== undefined && !/^\d{1,6}$/.test(calls)) {
    throw new UsageError(`--max-tool-calls is ${JSON.stringify(calls)}`, "give a whole number, 0 or more");
  }
  const apiKey = keyName === undefined ? undefined : process.env[keyName];
  if (keyName !== undefined && (apiKey === undefined || apiKey === "")) {
    throw new UsageError(
      `the environment variable ${keyName} of --api-key-env is not set`,
      "the option takes the name of the variable that holds the key, never the key",
    );
  }
  return {
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(calls === undefined ? {} : { maxToolCalls: Number(calls) }),
    ...(output === undefined ? {} : { responseFormat: await findSchema(output, { options, project, cwd }) }),
  };
}

/** The schema of a name (an export, or a type marked `@schema`), or of a file of JSON Schema. */
async function findSchema(
  given: string,
  site: { readonly options: CommandOptions; readonly project: Project | undefined; readonly cwd: string },
): Promise<Schema<unknown>> {
  const { options, project, cwd } = site;
  if (/\.json$/.test(given)) return readSchemaFile(resolve(cwd, given), cwd);
  const known = new Map(project?.schemas);
  for (const { name, description, schema } of project?.manifest?.schemas ?? []) {
    if (!known.has(name)) {
      known.set(name, new Schema({ name, schema, ...(description === undefined ? {} : { description }) }));
    }
  }
  if (project === undefined) {
    const modules = findModules(textOptions(options, "module"), cwd);
    if (modules.length > 0)
      for (const [name, schema] of (await loadProject(modules, cwd)).schemas) known.set(name, schema);
  }
  const found = known.get(given);
  if (found !== undefined) return found;
  throw new UsageError(
    `there is no schema ${JSON.stringify(given)}`,
    `${suggest(given, [...known.keys()], "schemas")}; or give the path of a JSON Schema: --output answer.json`,
  );
}

function readSchemaFile(path: string, cwd: string): Schema<unknown> {
  const shown = shownPath(path, cwd);
  let schema: JsonSchema & { readonly title?: unknown };
  try {
    schema = JSON.parse(readFileSync(path, "utf8")) as JsonSchema;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `--output ${shown}: ${code === "ENOENT" ? "there is no such file" : message}`,
      "give a file with one JSON Schema, or the name of a type marked @schema",
    );
  }
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    throw new UsageError(`--output ${shown} holds no JSON Schema`, 'write an object, such as {"type": "object", …}');
  }
  const title =
    typeof schema.title === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(schema.title) ? schema.title : "answer";
  return new Schema({ name: title, schema });
}
