import type { Manifest } from "@callsign/runtime/manifest";

/**
 * The bytes of `callsign.manifest.json`: keys in the order they were built, two spaces, LF, a final newline.
 *
 * A lone surrogate is written as an escape by `JSON.stringify`, so the text is always well-formed UTF-8.
 */
export function writeManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
