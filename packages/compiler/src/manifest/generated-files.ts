/** What every build writes. */
export const USUAL_FILES = ["callsign.manifest.json", "callsign.gen.ts", "callsign.tools.gen.ts"] as const;

/** Every file that a build may write. They never count as input: a build must not depend on its own outcome. */
export const GENERATED_FILES = [...USUAL_FILES, "callsign.validators.gen.js", "callsign.validators.gen.d.ts"] as const;

/** The name of one file that a build writes. */
export type GeneratedFile = (typeof GENERATED_FILES)[number];

/** Whether a path names a file that some build wrote, in whatever folder. */
export function isGeneratedFile(path: string): boolean {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return (GENERATED_FILES as readonly string[]).includes(name);
}
