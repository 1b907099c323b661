import type { ProviderEntry } from "../model/provider.js";
import { test } from "./test/entry.js";

export { lowerOutput, lowerTool, targets } from "./targets.js";

/** THE TABLE of providers, by the first part of a model's name. */
export const providers = { test } satisfies Record<string, ProviderEntry>;
