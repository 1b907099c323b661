import { readPackageField } from "../package-version.js";
import { UsageError } from "./usage-error.js";

/** Refuses a Node that lacks what callsign calls: a clear word instead of a stack. */
export function checkNode(version: string): void {
  const wanted = readPackageField("engines").node.replace(">=", "");
  if (version.localeCompare(wanted, "en", { numeric: true }) >= 0) return;
  throw new UsageError(
    `callsign needs Node ${wanted} or newer, and this is Node ${version}`,
    "install a newer Node, or bring one along: `npm install --save-dev node@24`, then run callsignc from a script or by npx",
  );
}
