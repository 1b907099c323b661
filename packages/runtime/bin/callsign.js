#!/usr/bin/env node
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

// Of the file itself: `node --preserve-symlinks-main` names the link in `node_modules/.bin`.
const own = join(dirname(realpathSync(fileURLToPath(import.meta.url))), "..");
const wanted = JSON.parse(readFileSync(join(own, "package.json"), "utf8")).engines.node.replace(">=", "");

if (!isAtLeast(process.versions.node, wanted)) {
  console.error(`callsign: callsign needs Node ${wanted} or newer, and this is Node ${process.versions.node}
  hint  install a newer Node, or bring one along: \`npm install --save-dev node@24\`, then run callsign from a script`);
  process.exitCode = 2;
} else {
  await import(pathToFileURL(join(projectsOwn() ?? own, "dist/cli/main.js")).href);
}

/**
 * The copy that the project in the current folder has installed: its modules import that one, and functions that are bound
 * in one copy are unknown to another.
 */
function projectsOwn() {
  try {
    const found = createRequire(join(process.cwd(), "-")).resolve("@callsign/runtime/package.json");
    const { bin } = JSON.parse(readFileSync(found, "utf8"));
    return bin?.callsign === undefined ? undefined : dirname(realpathSync(found));
  } catch {
    return undefined;
  }
}

function isAtLeast(version, least) {
  const [have, need] = [version, least].map((text) => text.split(".").map(Number));
  for (const [index, part] of need.entries()) {
    if ((have[index] ?? 0) !== part) return (have[index] ?? 0) > part;
  }
  return true;
}
