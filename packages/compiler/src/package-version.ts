import { readFileSync } from "node:fs";
import { join } from "node:path";

interface OwnPackage {
  readonly version: string;
  readonly engines: { readonly node: string };
}

/** The version of this package. */
export function packageVersion(): string {
  return readPackageField("version");
}

/** One field of this package's package.json. */
export function readPackageField<Field extends keyof OwnPackage>(field: Field): OwnPackage[Field] {
  const text = readFileSync(join(import.meta.dirname, "../package.json"), "utf8");
  return (JSON.parse(text) as OwnPackage)[field];
}
