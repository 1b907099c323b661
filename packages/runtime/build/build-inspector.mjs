import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = (name) => fileURLToPath(new URL(`../src/inspector/${name}`, import.meta.url));

/**
 * Writes the inspector, `inspector/files.js`: the page, its script in one file, its style and its icon, as texts. As a
 * module, because that is found wherever the server runs, also where it was bundled.
 *
 * @param outDir Absolute path of the folder of the built modules.
 */
export async function buildInspector(outDir) {
  const texts = {
    "index.html": ["text/html", readFileSync(source("index.html"), "utf8")],
    "app.js": ["text/javascript", await bundle("main.ts")],
    "style.css": ["text/css", await bundle("style.css")],
    "icon.svg": ["image/svg+xml", readFileSync(source("icon.svg"), "utf8")],
  };
  const files = Object.fromEntries(
    Object.entries(texts).map(([name, [type, text]]) => {
      const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
      return [name, { type: `${type}; charset=utf-8`, etag, text }];
    }),
  );
  mkdirSync(join(outDir, "inspector"), { recursive: true });
  writeFileSync(join(outDir, "inspector/files.js"), `export const files = ${JSON.stringify(files, null, 1)};\n`);
}

async function bundle(name) {
  const { outputFiles } = await build({
    entryPoints: [source(name)],
    bundle: true,
    format: "esm",
    platform: "browser",
    // What every browser has had since 2023.
    target: ["chrome115", "firefox115", "safari16.4"],
    minify: true,
    logLevel: "error",
    write: false,
  });
  return outputFiles[0].text;
}
