import type { ProviderEntry } from "../model/provider.js";
import type { CustomModel } from "../open-model.js";
import { providers } from "../providers/index.js";
import { readCassette } from "../providers/test/cassette.js";
import { test } from "../providers/test/entry.js";
import { findEntry } from "../providers/test/find-entry.js";
import { Replay } from "../providers/test/replay.js";
import type { CassetteOptions } from "./record-model.js";

export interface ReplayModelOptions extends CassetteOptions {
  /** Of a recorded provider that is none of the table. Default: tools as they are in the manifest. */
  readonly entry?: ProviderEntry;
}

/** A model for `agent()` that answers from a cassette. */
export interface ReplayModel extends CustomModel {
  /** How many recorded requests were not made so far; 0 at the end of a test that makes all of them. */
  readonly unplayed: number;
}

/**
 * A model that answers from a cassette, without a network. A request that was not recorded, or not as often, is an error
 * that shows the difference. As the model string `test/replay/CASSETTE.json`, but a request cannot be made more often
 * than it was recorded.
 *
 * @throws {AgentError} `cassette-unreadable`, `cassette-shape`; the model's requests `replay-mismatch`.
 */
export function replayModel(path: string, options: ReplayModelOptions = {}): ReplayModel {
  const cassette = readCassette(path);
  const replay = new Replay(cassette, { path, beginsAgain: false, normalize: options.normalize });
  const { entry } = findEntry(cassette.model, providers, options.entry ?? test);
  return {
    id: cassette.model,
    entry: { ...entry, open: async () => replay },
    get unplayed() {
      return replay.unplayed;
    },
  };
}
