import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A project outside of the repository. */
export interface Project {
  readonly folder: string;
  write(files: Readonly<Record<string, string>>): void;
  /** Runs Node in the project. */
  node(...words: readonly string[]): Outcome;
  /** Runs a command that an installed package brings. */
  bin(name: string, ...words: readonly string[]): Outcome;
}

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Makes an empty ESM project and installs packages into it. */
export function makeProject(folder: string, packages: readonly string[]): Project {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }\n');
  execFileSync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--silent", ...packages], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const run = (command: string, words: readonly string[]): Outcome => {
    const { status, stdout, stderr } = spawnSync(command, words, { cwd: folder, encoding: "utf8", env: outside() });
    return { status, stdout, stderr };
  };
  return {
    folder,
    write: (files) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
    },
    node: (...words) => run(process.execPath, words),
    bin: (name, ...words) => run(join(folder, "node_modules/.bin", name), words),
  };
}

/** What vitest sets for its own processes is nothing that a user has. */
function outside(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, NODE_ENV: __, VITEST: ___, ...rest } = process.env;
  return rest;
}
