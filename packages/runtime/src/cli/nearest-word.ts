/** The candidate that a mistyped word most likely meant; undefined when none is near. */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  const near = candidates
    .map((candidate) => ({ candidate, distance: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter((each) => each.distance <= limit)
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.candidate;
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function distance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    const [before = [], earlier = []] = [rows[i - 1], rows[i - 2]];
    for (let j = 1; j <= to.length; j += 1) {
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const replaced = (before[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swapped = isSwap ? (earlier[j - 2] as number) + 1 : replaced;
      row.push(Math.min(replaced, swapped, (before[j] as number) + 1, (row[j - 1] as number) + 1));
    }
    rows.push(row);
  }
  return rows[from.length]?.[to.length] as number;
}

/** `did you mean x?`, or what there is. */
export function suggest(word: string, known: readonly string[], what: string): string {
  const nearest = nearestWord(word, known);
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  return known.length === 0 ? `there are no ${what}` : `${what}: ${known.join(", ")}`;
}
