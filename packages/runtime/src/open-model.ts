import { AgentError } from "./errors/agent-error.js";
import type { Provider, ProviderEntry, ProviderOptions } from "./model/provider.js";
import { providers } from "./providers/index.js";

/** A model that is ready to be asked. */
export interface OpenModel {
  readonly entry: ProviderEntry;
  readonly provider: Provider;
  /** `provider/model`, as it is written into the history. */
  readonly id: string;
  /** Without the provider's prefix. */
  readonly model: string;
}

/** A provider of one's own, with the name of a model; for what the table of providers does not have. */
export interface CustomModel {
  readonly entry: ProviderEntry;
  /** `provider/model`. */
  readonly id: string;
}

/**
 * Finds the provider of `provider/model` and loads its SDK.
 *
 * @throws {AgentError} code `model-unknown`.
 * @throws {ProviderError} code `sdk-missing`.
 */
export async function openModel(model: string | CustomModel, options: ProviderOptions): Promise<OpenModel> {
  const found = openModelEntry(model);
  return { ...found, provider: await found.entry.open(options) };
}

/** Finds the provider of `provider/model`. @throws {AgentError} code `model-unknown`. */
export function openModelEntry(model: string | CustomModel): Omit<OpenModel, "provider"> {
  const id = typeof model === "string" ? model : model.id;
  const slash = id.indexOf("/");
  const name = id.slice(0, Math.max(slash, 0));
  const table: Readonly<Record<string, ProviderEntry>> = providers;
  const entry = typeof model === "string" ? (Object.hasOwn(table, name) ? table[name] : undefined) : model.entry;
  if (slash < 1 || slash === id.length - 1 || entry === undefined) {
    throw new AgentError(
      `the model ${JSON.stringify(id)} is not known; write provider/model, with one of the providers ${Object.keys(table).join(", ")}`,
      { code: "model-unknown" },
    );
  }
  return { entry, id, model: id.slice(slash + 1) };
}
