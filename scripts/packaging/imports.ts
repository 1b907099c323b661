import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { extname, join } from "node:path";
import ts from "typescript";

/** The packages that a file of a package imports, without Node's own. */
export function importedPackages(folder: string, file: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(folder, file), "utf8"), true, true);
  return importedFiles.map(({ fileName }) => packageOf(fileName)).filter((name) => name !== undefined);
}

function packageOf(specifier: string): string | undefined {
  if (/^[./#]|^node:/.test(specifier) || builtinModules.includes(specifier)) return undefined;
  const [scope, name] = specifier.split("/");
  return scope?.startsWith("@") ? `${scope}/${name}` : scope;
}

/** The declaration files that an entry's declarations lead to, the entry among them. */
export function reachableDeclarations(folder: string, entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...entries];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    for (const { fileName } of ts.preProcessFile(readFileSync(join(folder, file), "utf8")).importedFiles) {
      if (!fileName.startsWith(".")) continue;
      const target = join(file, "..", fileName);
      open.push(`${target.slice(0, -extname(target).length)}.d.ts`);
    }
  }
  return reached;
}
