/**
 * A name for this process that no other has: where it runs, since when, and a random part. By the first parts another
 * process on the same machine can tell that it is dead.
 */
export function processName(): string {
  return [place(), process.pid, startOf(process.pid) ?? "", crypto.randomUUID()].join(" ");
}

/** True only when it is certain: same machine, same boot, same process namespace, and no such process. */
export function isCertainlyDead(owner: string): boolean {
  const [where, pid, start] = owner.split(" ");
  if (where !== place() || !/^\d+$/.test(pid ?? "")) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  // The number may have gone to another process since.
  const now = startOf(Number(pid));
  return start !== "" && now !== undefined && now !== start;
}

let known: string | undefined;

function place(): string {
  known ??= [
    process.getBuiltinModule("node:os").hostname(),
    read("/proc/sys/kernel/random/boot_id"),
    link("/proc/self/ns/pid"),
  ]
    .join(",")
    .replaceAll(" ", "_");
  return known;
}

/** When a process began, in ticks since boot; Linux only. */
function startOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name in brackets may hold anything; what follows it is of fixed places.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

function read(path: string): string {
  try {
    return process.getBuiltinModule("node:fs").readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function link(path: string): string {
  try {
    return process.getBuiltinModule("node:fs").readlinkSync(path);
  } catch {
    return "";
  }
}
