import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

export const NAMES = ["runtime", "compiler"] as const;
export type PackageName = (typeof NAMES)[number];

export const repository = fileURLToPath(new URL("../..", import.meta.url));

/** One packed package. */
export interface Packed {
  readonly name: PackageName;
  /** Absolute path of the archive that would be published. */
  readonly archive: string;
  /** Absolute path of the folder that it was unpacked to. */
  readonly folder: string;
  readonly manifest: PackageManifest;
  readonly sizeBytes: number;
  readonly unpackedSizeBytes: number;
  /** Paths inside of the package, sorted. */
  readonly files: readonly string[];
}

export interface PackageManifest {
  readonly name: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types?: string; readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

/**
 * Packs both packages as they would be published. They are built anew in a copy of the sources, by the scripts that
 * `npm pack` runs, since tests that run meanwhile use the `dist` folders of the repository.
 *
 * @param options.stale Files, by their path in a package, that are there before, as an earlier build would have left them.
 */
export function packPackages({ stale }: { readonly stale: readonly string[] }) {
  const folder = mkdtempSync(join(tmpdir(), "callsign-packaging-"));
  const workspace = join(folder, "workspace");
  copyWorkspace(workspace);
  for (const name of NAMES) {
    for (const path of stale) {
      mkdirSync(join(workspace, "packages", name, path, ".."), { recursive: true });
      writeFileSync(join(workspace, "packages", name, path), "// left by an earlier build\n");
    }
  }
  const packed = {} as Record<PackageName, Packed>;
  // The first one's scripts build both.
  for (const name of NAMES) packed[name] = pack(name, { folder, workspace, scripts: name === NAMES[0] });
  return { folder, workspace, packed };
}

function copyWorkspace(workspace: string): void {
  const isLeftOut = /^(?:dist|node_modules|test)$/;
  for (const path of [
    "package.json",
    "tsconfig.base.json",
    "scripts/build.mjs",
    ...NAMES.map((name) => `packages/${name}`),
  ]) {
    cpSync(join(repository, path), join(workspace, path), {
      recursive: true,
      filter: (source) => !isLeftOut.test(basename(source)) || source.includes("/src/"),
    });
  }
  const modules = join(workspace, "node_modules");
  mkdirSync(join(modules, "@callsign"), { recursive: true });
  for (const name of readdirSync(join(repository, "node_modules"))) {
    if (name !== "@callsign") symlinkSync(join(repository, "node_modules", name), join(modules, name));
  }
  for (const name of NAMES) symlinkSync(join(workspace, "packages", name), join(modules, "@callsign", name));
}

function pack(
  name: PackageName,
  { folder, workspace, scripts }: { readonly folder: string; readonly workspace: string; readonly scripts: boolean },
): Packed {
  const options = ["--json", "--pack-destination", folder, ...(scripts ? [] : ["--ignore-scripts"])];
  const output = execFileSync("npm", ["pack", ...options], {
    cwd: join(workspace, "packages", name),
    encoding: "utf8",
  });
  const [report] = Object.values(JSON.parse(output.slice(output.search(/^[[{]/m)))) as [
    { filename: string; size: number; unpackedSize: number; files: { path: string }[] },
  ];
  const archive = join(folder, report.filename.replace("@callsign/", "callsign-"));
  const unpacked = join(folder, `unpacked-${name}`);
  mkdirSync(unpacked);
  execFileSync("tar", ["-xzf", archive, "-C", unpacked, "--strip-components=1"]);
  return {
    name,
    archive,
    folder: unpacked,
    manifest: JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8")),
    sizeBytes: report.size,
    unpackedSizeBytes: report.unpackedSize,
    files: report.files.map(({ path }) => path).sort(),
  };
}
