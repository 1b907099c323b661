/** `3 min ago`, for times that are not long ago; else the date. */
export function timeAgo(time: number, now = Date.now()): string {
  const seconds = Math.round((now - time) / 1_000);
  if (seconds < 5) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3_600)} h ago`;
  return fullTime(time).slice(0, 16);
}

/** `2026-01-31 12:00:00.250`, in the reader's own zone. */
export function fullTime(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day} ${clock}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** `12 ms`, `1.25 s`, `3 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1_000)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `TASK_AWAITING_APPROVAL` as people read it: `awaiting approval`. */
export function eventLabel(type: string): string {
  return type
    .replace(/^TASK_/, "")
    .replace(/^WORKFLOW_/, "run ")
    .replaceAll("_", " ")
    .toLowerCase();
}

/** A value in one line, cut. */
export function preview(value: unknown, longest = 160): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = text.slice(0, longest * 2).replace(/\s+/g, " ");
  return line.length > longest || text.length > longest * 2 ? `${line.slice(0, longest)}…` : line;
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
