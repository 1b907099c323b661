import { readPackageField } from "../package-version.js";
import { UsageError } from "./usage-error.js";

/** Refuses a Node that lacks what callsign calls: a clear word instead of a stack. */
export function checkNode(version: string): void {
  const wanted = readPackageField("engines").node.replace(">=", "");
  if (isAtLeast(version, wanted)) return;
  throw new UsageError(
    `callsign needs Node ${wanted} or newer, and this is Node ${version}`,
    "install a newer Node, or bring one along: `npm install --save-dev node@24`, then run callsignc from a script or by npx",
  );
}

// Not by `localeCompare`: the first comparison loads the collation data, a fifth of a build with nothing to do.
function isAtLeast(version: string, wanted: string): boolean {
  const [own, least] = [version, wanted].map((text) => text.split(".").map((part) => Number.parseInt(part, 10)));
  for (const [index, part] of least!.entries()) {
    const difference = (own![index] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
