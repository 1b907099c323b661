import { AgentError } from "../../errors/agent-error.js";
import type { ProviderEntry } from "../../model/provider.js";

/**
 * The provider of `provider/model` in a table.
 *
 * @param otherwise For a provider that is not in it; without one that is an error.
 * @throws {AgentError} code `model-unknown`.
 */
export function findEntry(
  id: string,
  table: Readonly<Record<string, ProviderEntry>>,
  otherwise?: ProviderEntry,
): { readonly entry: ProviderEntry; readonly model: string } {
  const slash = id.indexOf("/");
  const name = id.slice(0, Math.max(slash, 0));
  const entry = Object.hasOwn(table, name) ? table[name] : otherwise;
  if (slash < 1 || slash === id.length - 1 || entry === undefined) {
    throw new AgentError(
      `the model ${JSON.stringify(id)} cannot be recorded; its provider is none of ${Object.keys(table).join(", ")}`,
      { code: "model-unknown" },
    );
  }
  return { entry, model: id.slice(slash + 1) };
}
