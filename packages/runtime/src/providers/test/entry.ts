import { AgentError } from "../../errors/agent-error.js";
import type { Json } from "../../manifest/json-schema.js";
import type { LoweredSchema } from "../../model/lowered.js";
import type { Provider, ProviderEntry } from "../../model/provider.js";

/** Models without a network. The wire is the neutral schema itself. */
export const test = {
  lowerTools: (tools) =>
    tools.map((tool) => ({
      ...lowered(tool.parameters as { readonly [keyword: string]: Json }),
      name: tool.name,
      tool,
      wire: {
        name: tool.name,
        ...(tool.description === undefined ? {} : { description: tool.description }),
        parameters: tool.parameters as unknown as Json,
      },
    })),
  lowerOutput: (format) => ({
    ...lowered(format.schema as { readonly [keyword: string]: Json }),
    name: format.name,
    neutral: format.schema,
    ...(format.description === undefined ? {} : { description: format.description }),
  }),
  outputMode: () => "native",
  open: async () => testProvider,
} satisfies ProviderEntry;

const testProvider: Provider = {
  name: "test",
  async *stream(request) {
    if (request.model !== "auto") {
      throw new AgentError(`there is no test model ${JSON.stringify(request.model)}; there is test/auto`, {
        code: "model-unknown",
      });
    }
    const { streamAuto } = await import("./auto.js");
    yield* streamAuto(request);
  },
};

function lowered(schema: { readonly [keyword: string]: Json }): LoweredSchema {
  const same = (value: Json): Json => value;
  return { target: "openai", schema, strict: false, dropped: [], restore: same, encode: same, notes: [] };
}
