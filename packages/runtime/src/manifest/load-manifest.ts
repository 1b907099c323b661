import { fileURLToPath } from "node:url";
import { ManifestError } from "../errors/manifest-error.js";
import { manifestNotJson, manifestUnreadable } from "../errors/messages.js";
import type { Manifest } from "./manifest.js";
import { validateManifest } from "./validate-manifest.js";

/**
 * Reads and checks a manifest.
 *
 * @param source A path (relative to the current folder), a `file:` URL, or the manifest itself as parsed JSON.
 * @throws {ManifestError} code `manifest-unreadable` or `manifest-not-json`, or one of `validateManifest`'s.
 *
 * @example
 * import { loadManifest } from "@callsign/runtime"
 *
 * const manifest = loadManifest(new URL("./callsign.manifest.json", import.meta.url))
 */
export function loadManifest(source: string | URL | object): Manifest {
  if (typeof source !== "string" && !(source instanceof URL)) return validateManifest(source);
  const file = toPath(source);
  let text: string;
  try {
    text = process.getBuiltinModule("node:fs").readFileSync(file, "utf8");
  } catch (cause) {
    throw new ManifestError([manifestUnreadable(cause)], { file, cause });
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw new ManifestError([manifestNotJson(cause)], { file, cause });
  }
  return validateManifest(value, { file });
}

function toPath(source: string | URL): string {
  if (typeof source === "string" && !source.startsWith("file:")) return source;
  try {
    return fileURLToPath(source);
  } catch (cause) {
    throw new ManifestError([manifestUnreadable(cause)], { file: String(source), cause });
  }
}
