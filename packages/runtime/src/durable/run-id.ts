/** What is wrong with the id that somebody gave a run; undefined where nothing is. Addresses, logs and every store hold it. */
export function faultOfRunId(id: string): string | undefined {
  if (id === "" || id.length > 200) return "must have 1 to 200 characters";
  if (id === "." || id === "..") return "must not be . or .., which no address can hold";
  return /[\p{Cc}\p{Cs}]/u.test(id) ? "must not hold control characters" : undefined;
}
