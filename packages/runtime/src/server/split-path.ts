/** The decoded parts of a path. A part that cannot be decoded, or that climbs, is kept as it was written. */
export function splitPath(path: string): string[] {
  return path
    .split("/")
    .filter((part) => part !== "")
    .map((part) => {
      try {
        const decoded = decodeURIComponent(part);
        return decoded === "." || decoded === ".." ? part : decoded;
      } catch {
        return part;
      }
    });
}
