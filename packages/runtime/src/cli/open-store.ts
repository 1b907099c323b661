import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Carrier } from "../durable/carrier.js";
import { Engine } from "../durable/engine.js";
import type { RunStore } from "../durable/run-store.js";
import { type CommandOptions, textOption } from "./command.js";
import { shownPath } from "./find-modules.js";
import { UsageError } from "./usage-error.js";

const DEFAULT_PATH = ".callsign/runs.db";

/** A store that is open, and what of its address may be shown. */
export interface OpenStore {
  readonly store: RunStore;
  readonly shown: string;
  /** Whether it serves several machines. */
  readonly isShared: boolean;
}

/**
 * Opens the store of `--store`, else of CALLSIGN_STORE, else `.callsign/runs.db`.
 *
 * @param how `create: false` refuses a file that is not there: nothing can be in it.
 * @throws {UsageError}; {StoreError}.
 */
export async function openStore(
  options: CommandOptions,
  { cwd, create }: { readonly cwd: string; readonly create: boolean },
): Promise<OpenStore> {
  const given = textOption(options, "store") ?? (process.env.CALLSIGN_STORE || DEFAULT_PATH);
  if (/^postgres(?:ql)?:\/\//.test(given)) {
    const { PostgresStore } = await import("../durable/stores/postgres-store.js");
    const store = await PostgresStore.open({ url: given });
    return { store, shown: withoutPassword(given), isShared: true };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) {
    throw new UsageError(
      `there is no kind of store for ${withoutPassword(given)}`,
      "give a file, or an address that begins with postgres://",
    );
  }
  const path = resolve(cwd, given);
  const shown = shownPath(path, cwd);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new UsageError(`the store ${shown} is a folder`, `give a file, such as ${given.replace(/\/*$/, "/runs.db")}`);
  }
  if (!create && !existsSync(path)) {
    throw new UsageError(
      `there is no store ${shown}`,
      "it comes into being with the first run of a workflow; another one is named by --store or CALLSIGN_STORE",
    );
  }
  const { SqliteStore } = await import("../durable/stores/sqlite-store.js");
  return { store: await SqliteStore.open(path), shown, isShared: false };
}

/** An engine that answers for runs and executes none: to look at them, and to decide. */
export async function openRuns(
  options: CommandOptions,
  { cwd }: { readonly cwd: string },
): Promise<{ readonly engine: Engine; readonly isShared: boolean }> {
  const { store, isShared } = await openStore(options, { cwd, create: false });
  return { engine: new Engine({ workflows: [], store, carrier: IDLE }), isShared };
}

const IDLE: Carrier = { start: async () => {}, submit: async () => {}, stop: async () => {} };

function withoutPassword(address: string): string {
  return address.replace(/^(\w+:\/\/[^:@/]*):[^@]*@/, "$1@").replace(/([?&]password=)[^&]*/i, "$1…");
}
