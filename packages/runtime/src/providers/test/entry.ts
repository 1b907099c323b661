import type { Json } from "../../manifest/json-schema.js";
import type { LoweredSchema } from "../../model/lowered.js";
import type { ModelRequest, Provider, ProviderEntry, ProviderOptions } from "../../model/provider.js";
import { findEntry } from "./find-entry.js";
import { readTestModel } from "./model-name.js";
import { recordedModel } from "./recorded-model.js";

/** The neutral schema as it is, for models that have no wire of their own. */
export const test: ProviderEntry = {
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
  open: async (options) => new TestProvider(options, {}),
};

/**
 * The models `test/…`. What records and replays another model gets tools and formats in that model's wire.
 *
 * @param others The providers that may be recorded, by name.
 */
export function testModels(others: Readonly<Record<string, ProviderEntry>>): ProviderEntry {
  const lowersFor = (model: string): { readonly entry: ProviderEntry; readonly model: string } => {
    const name = readTestModel(model);
    if (name.kind === "record") return findEntry(name.model, others);
    if (name.kind === "replay") return findEntry(recordedModel(name.path), others, test);
    return { entry: test, model };
  };
  return {
    lowerTools: (tools, options) => {
      const { entry, model } = lowersFor(options.model);
      return entry.lowerTools(tools, { ...options, model });
    },
    lowerOutput: (format, options) => {
      const { entry, model } = lowersFor(options.model);
      return entry.lowerOutput(format, { ...options, model });
    },
    outputMode: (name, options) => {
      const { entry, model } = lowersFor(name);
      return entry.outputMode(model, options);
    },
    open: async (options) => new TestProvider(options, others),
  };
}

/** Finds out from each request which of the test models it is for. Loads only that one. */
class TestProvider implements Provider {
  readonly name = "test";
  readonly #options: ProviderOptions;
  readonly #others: Readonly<Record<string, ProviderEntry>>;
  readonly #opened = new Map<string, Promise<Provider>>();

  constructor(options: ProviderOptions, others: Readonly<Record<string, ProviderEntry>>) {
    this.#options = options;
    this.#others = others;
  }

  async *stream(request: ModelRequest): ReturnType<Provider["stream"]> {
    let opened = this.#opened.get(request.model);
    if (opened === undefined) {
      opened = this.#open(request.model);
      this.#opened.set(request.model, opened);
      // A file may be put right before the next question.
      opened.catch(() => this.#opened.delete(request.model));
    }
    yield* (await opened).stream(request);
  }

  async #open(model: string): Promise<Provider> {
    const name = readTestModel(model);
    switch (name.kind) {
      case "auto": {
        const { streamAuto } = await import("./auto.js");
        return { name: "test", stream: streamAuto };
      }
      case "script": {
        const { readScript } = await import("./read-script.js");
        const { Script } = await import("./script.js");
        return new Script(await readScript(name.path), { name: name.path });
      }
      case "record": {
        const { Recording, recorderOf } = await import("./record.js");
        const { entry, model } = findEntry(name.model, this.#others);
        const provider = await entry.open(this.#options);
        return new Recording(provider, {
          model,
          recorder: recorderOf(name.path, name.model),
          secrets: this.#options,
        });
      }
      case "replay": {
        const { readCassette } = await import("./cassette.js");
        const { Replay } = await import("./replay.js");
        return new Replay(readCassette(name.path), { path: name.path, beginsAgain: true });
      }
    }
  }
}

function lowered(schema: { readonly [keyword: string]: Json }): LoweredSchema {
  const same = (value: Json): Json => value;
  return { target: "openai", schema, strict: false, dropped: [], restore: same, encode: same, notes: [] };
}
