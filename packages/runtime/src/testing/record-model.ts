import type { ProviderEntry } from "../model/provider.js";
import { type CustomModel, openModelEntry } from "../open-model.js";
import type { NormalRequest } from "../providers/test/normal-request.js";
import { Recorder, Recording } from "../providers/test/record.js";

/** What recording and replaying have in common. */
export interface CassetteOptions {
  /** Takes out what is different each time, such as dates, before a request is compared or written. */
  readonly normalize?: (request: NormalRequest) => NormalRequest;
}

/**
 * The same model, with everything that it answers written to a cassette. The file begins anew; API keys, authorization
 * headers, values of environment variables such as `…_API_KEY` and whatever looks like a key are left out.
 *
 * @param model `provider/model`, or a provider of one's own.
 *
 * @example
 * import { agent } from "@callsign/runtime"
 * import { recordModel, replayModel } from "@callsign/runtime/testing"
 *
 * const path = "test/cassettes/greeting.json"
 * const model = process.env.RECORD ? recordModel("anthropic/claude-sonnet-5-5", path) : replayModel(path)
 * const assistant = agent("Greet.", { model })
 */
export function recordModel(model: string | CustomModel, path: string, options: CassetteOptions = {}): CustomModel {
  const { entry, id, model: name } = openModelEntry(model);
  const recorder = new Recorder(path, id);
  const open: ProviderEntry["open"] = async (providerOptions) =>
    new Recording(await entry.open(providerOptions), {
      model: name,
      recorder,
      secrets: providerOptions,
      normalize: options.normalize,
    });
  return { id, entry: { ...entry, open } };
}
