import { encode } from "./calls/encode.js";
import { argumentsRefused } from "./calls/messages.js";
import { type RunnableTool, runTool } from "./calls/run-tool.js";
import { validateValue } from "./calls/validate-value.js";
import { ArgumentsError } from "./errors/arguments-error.js";
import type { JsonSchema } from "./manifest/json-schema.js";
import type { ManifestTool } from "./manifest/manifest.js";
import type { LoweredTool } from "./model/lowered.js";
import { lowerTool } from "./providers/targets.js";
import { standardProps } from "./standard-props.js";
import type { StandardProps } from "./standard-schema.js";
import { markToolContext, type ToolContext } from "./tool-context.js";
import { compileSchema } from "./validation/compile-schema.js";

/** A tool known only at run time: its schema is written by hand or comes from elsewhere. */
export interface ToolDefinition<Args extends object, Result> {
  /** `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`, the names that every provider takes. */
  readonly name: string;
  readonly description?: string;
  /** The schema of the arguments object: `type: "object"`. */
  readonly parameters: JsonSchema;
  /** The schema of the result; says which codecs its JSON form needs. */
  readonly returns?: JsonSchema;
  /** Whether a person decides before a call: always, or for these arguments. A predicate that throws refuses the call. */
  readonly requiresApproval?: boolean | ((args: Args) => boolean | Promise<boolean>);
  /** A call runs alone: it waits for those before it in the same reply, and those after it wait. */
  readonly sequential?: boolean;
  /** How long one call may take, in milliseconds. Default: the agent's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
  execute(args: Args, context: ToolContext): Result | Promise<Result>;
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/**
 * A function that a model can call, with the schema of its arguments. Compiled functions become one when they are
 * bound; by hand it is made with `new Tool({ … })`.
 *
 * @example
 * import { Tool } from "@callsign/runtime"
 *
 * const now = new Tool({
 *   name: "now",
 *   description: "The current time.",
 *   parameters: { type: "object", properties: {}, additionalProperties: false },
 *   execute: () => new Date().toISOString(),
 * })
 */
export class Tool<Args extends object = Record<string, unknown>, Result = unknown> implements RunnableTool {
  readonly name: string;
  readonly description: string | undefined;
  /** The neutral schema of the arguments object. */
  readonly parameters: JsonSchema;
  readonly returns: JsonSchema | undefined;
  /** The tool as the manifest describes it; what is lowered for a provider. */
  readonly manifestTool: ManifestTool;
  readonly "~standard": StandardProps<Args, Args>;
  readonly sequential: boolean;
  readonly timeoutMs: number | undefined;
  readonly #invoke: (args: object, context: ToolContext) => unknown;
  readonly #requiresApproval: boolean | ((args: never) => boolean | Promise<boolean>);

  /** @param manifestTool What a manifest says of it; made from the definition when it is in none. */
  constructor(definition: ToolDefinition<Args, Result>, manifestTool: ManifestTool = describe(definition)) {
    if (!NAME.test(definition.name)) {
      throw new TypeError(
        `a tool's name has 1 to 64 letters, digits, _ or -, and begins with a letter or _; got ${JSON.stringify(definition.name)}`,
      );
    }
    if (definition.parameters.type !== "object") {
      throw new TypeError(`the parameters of ${definition.name} must be a schema with type "object"`);
    }
    this.name = definition.name;
    this.description = definition.description;
    this.parameters = definition.parameters;
    this.returns = definition.returns;
    this.manifestTool = manifestTool;
    this.sequential = definition.sequential ?? manifestTool.sequential ?? false;
    this.timeoutMs = definition.timeoutMs;
    this.#requiresApproval = definition.requiresApproval ?? manifestTool.requiresApproval ?? false;
    this["~standard"] = standardProps<Args, Args>(definition.parameters, definition.name);
    this.#invoke = (args, context) => definition.execute(args as Args, context);
  }

  /**
   * Runs the tool without a model: checks the arguments as a model's would be, decodes codecs, calls the function.
   *
   * @param args As the function declares them, or their JSON form.
   * @param context What to give to a ToolContext or AbortSignal parameter; the rest is filled in.
   * @throws {ArgumentsError} code `arguments-refused`.
   * @throws {ToolExecutionError}
   */
  async execute(args: Args, context: Partial<ToolContext> = {}): Promise<Result> {
    const compiled = await compileSchema(this.parameters, this.name);
    const checked = await validateValue(this.parameters, encode(compiled, args), { name: this.name });
    if (!checked.valid) {
      throw new ArgumentsError(argumentsRefused(this.name, checked.refusals), {
        code: "arguments-refused",
        refusals: checked.refusals,
      });
    }
    const { value } = await runTool(this, checked.value as object, completeContext(this.name, context));
    return value as Result;
  }

  /**
   * Whether a person decides before this call.
   *
   * @param args The JSON form of the arguments, validated.
   */
  async needsApproval(args: unknown): Promise<boolean> {
    if (typeof this.#requiresApproval === "boolean") return this.#requiresApproval;
    return (await this.#requiresApproval(args as never)) !== false;
  }

  /**
   * The tool as an element of `tools` in a request of one's own to OpenAI. The name and description are those that
   * models see.
   *
   * With `strict` the model is held to the schema, in a form that it can be held to: arguments then come in the form of
   * that schema, which `lowerTool(tool.manifestTool, "openai-strict").restore` of `@callsign/runtime/providers` reads.
   * What does not fit the strict rules is not strict all the same.
   *
   * @param options `api`: that of the Responses API (the default) or of Chat Completions, which is never strict here.
   *
   * @example
   * import { Tool } from "@callsign/runtime"
   *
   * const now = new Tool({ name: "now", parameters: { type: "object", properties: {} }, execute: () => "noon" })
   * const request = { model: "gpt-6-luna", input: "What time is it?", tools: [now.toOpenAI()] }
   */
  toOpenAI({
    api = "responses",
    strict = false,
  }: {
    api?: "responses" | "chat";
    strict?: boolean;
  } = {}): LoweredTool["wire"] {
    const target = api === "chat" ? "openai-chat" : strict ? "openai-strict" : "openai";
    return lowerTool(this.manifestTool, target).wire;
  }

  /** The same for `tools` of Anthropic's Messages API. With `strict`, see `toOpenAI`. */
  toAnthropic({ strict = false }: { strict?: boolean } = {}): LoweredTool["wire"] {
    return lowerTool(this.manifestTool, strict ? "anthropic-strict" : "anthropic").wire;
  }

  /** A function declaration of Gemini: an element of `tools[].functionDeclarations`. */
  toGemini(): LoweredTool["wire"] {
    return lowerTool(this.manifestTool, "gemini").wire;
  }

  /** The tool as an element of `tools` in a request to Ollama. */
  toOllama(): LoweredTool["wire"] {
    return lowerTool(this.manifestTool, "ollama").wire;
  }

  /** For the runtime itself: calls the function with arguments that were validated and decoded. */
  invoke(args: object, context: ToolContext): unknown {
    return this.#invoke(args, context);
  }
}

function completeContext(toolName: string, context: Partial<ToolContext>): ToolContext {
  const callId = context.callId ?? crypto.randomUUID();
  return markToolContext({
    toolName,
    callId,
    idempotencyKey: callId,
    signal: new AbortController().signal,
    deps: undefined,
    progress: () => {},
    ...context,
  });
}

function describe({
  name,
  description,
  parameters,
  returns,
  requiresApproval,
  sequential,
}: ToolDefinition<never, unknown>): ManifestTool {
  return {
    name,
    // No source file: the identity of a tool made at run time is the object itself.
    module: "",
    export: name,
    ...(description === undefined ? {} : { description }),
    parameters,
    call: [{ from: "arguments" }, { from: "context" }],
    ...(returns === undefined ? {} : { returns }),
    ...(requiresApproval === undefined ? {} : { requiresApproval: requiresApproval !== false }),
    ...(sequential === true ? { sequential } : {}),
  };
}
