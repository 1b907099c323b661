import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";

const modules = fileURLToPath(new URL("../../../../../node_modules/", import.meta.url));

/**
 * Opens a real Chromium, which comes as a package, with the few libraries and the font that it needs: nothing of the
 * machine's own is used but the C library. `CALLSIGN_CHROMIUM` names another one, for systems that the package is not for.
 */
export async function openBrowser(): Promise<Browser> {
  const own = process.env.CALLSIGN_CHROMIUM;
  if (own !== undefined) return chromium.launch({ executablePath: own });
  const folder = unpack();
  return chromium.launch({
    executablePath: join(folder, "chromium"),
    // Containers run tests as root, under which there is no sandbox.
    chromiumSandbox: false,
    args: ["--font-render-hinting=none"],
    env: {
      HOME: folder,
      PATH: process.env.PATH ?? "",
      LD_LIBRARY_PATH: join(folder, "al2023/lib"),
      FONTCONFIG_PATH: folder,
    },
  });
}

/** Once for each version; several processes may be at it at the same time. */
function unpack(): string {
  const packageFile = readFileSync(join(modules, "@sparticuz/chromium/package.json"), "utf8");
  const { version } = JSON.parse(packageFile) as { version: string };
  const folder = join(modules, `.cache/callsign-chromium-${version}`);
  if (existsSync(folder)) return folder;
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  // The package unpacks into the folder for temporary files, and its libraries only where it takes itself to be on Lambda.
  const script = 'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath())';
  execFileSync(process.execPath, ["-e", script], {
    cwd: modules,
    env: { ...process.env, TMPDIR: making, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" },
    stdio: "inherit",
  });
  writeFileSync(
    join(making, "fonts.conf"),
    `<?xml version="1.0"?><fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`,
  );
  try {
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
