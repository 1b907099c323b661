/** Lines of a stack trace, and what engines put before them. */
const STACK_LINE = /^\s+at .+$/;

/**
 * The message of anything that was thrown, fit for a model: without stack lines, own fields or the local paths of the
 * working and home folders. Never throws, whatever the value does.
 */
export function thrownMessage(thrown: unknown): string {
  try {
    const text = messageOf(thrown);
    const lines = text.split("\n").filter((line) => !STACK_LINE.test(line));
    return withoutLocalPaths(lines.join("\n").trim()) || "it threw an error without a message";
  } catch {
    return "it threw an error whose message cannot be read";
  }
}

function messageOf(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  if (typeof thrown === "object" && thrown !== null) {
    const { message } = thrown as { message?: unknown };
    return typeof message === "string" ? message : "";
  }
  return thrown === undefined || thrown === null ? "" : String(thrown);
}

function withoutLocalPaths(text: string): string {
  const folders: [string | undefined, string][] = [
    [process.cwd(), "."],
    [process.env.HOME, "~"],
    [process.env.USERPROFILE, "~"],
  ];
  let clean = text;
  for (const [folder, sign] of folders) {
    if (folder !== undefined && folder.length > 1) clean = clean.replaceAll(folder, sign);
  }
  return clean.replaceAll(/file:\/\/\/?(?=[.~])/g, "");
}
