/** File names that callsign writes. They are never read as source, or a build would change its own input. */
export const generatedNames: ReadonlySet<string> = new Set([
  "callsign.manifest.json",
  "callsign.gen.ts",
  "callsign.tools.gen.ts",
]);
