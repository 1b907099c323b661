/** A piece of a tool call as Chat Completions servers stream it; each of them leaves out something else. */
export interface CallFragment {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
  readonly [key: string]: unknown;
}

interface OpenCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  readonly extra: { [key: string]: unknown };
}

const KNOWN = ["index", "id", "type", "function"];

/**
 * Puts calls together from their fragments. A fragment belongs to the call of its index, unless that one is complete
 * and the fragment begins another: servers exist that number all calls 0, that repeat no index at all, and that give
 * a new id to every fragment.
 */
export class CallFragments {
  readonly calls: OpenCall[] = [];

  add(fragment: CallFragment): void {
    const name = fragment.function?.name ?? "";
    const text = argumentText(fragment.function?.arguments);
    const found = this.#find(fragment, { name, text });
    if (found === undefined) {
      this.calls.push({
        index: fragment.index ?? undefined,
        id: fragment.id ?? "",
        name,
        arguments: text,
        extra: extraOf(fragment),
      });
      return;
    }
    if (found.id === "") found.id = fragment.id ?? "";
    // Only an old server sends a name in pieces; most that send it twice send it whole.
    if (name !== "" && found.name !== name) found.name += name;
    found.arguments += text;
    Object.assign(found.extra, extraOf(fragment));
  }

  #find({ index, id }: CallFragment, { name, text }: { name: string; text: string }): OpenCall | undefined {
    const isNew = (call: OpenCall) => {
      const otherId = id !== undefined && id !== null && id !== "" && call.id !== "" && id !== call.id;
      if (name === "" || call.name === "") return false;
      return isWhole(call.arguments) ? otherId || text !== "" : otherId && name !== call.name;
    };
    if (typeof index === "number") {
      const call = this.calls.findLast((open) => open.index === index);
      return call === undefined || isNew(call) ? undefined : call;
    }
    const byId = id === undefined || id === null || id === "" ? undefined : this.calls.find((open) => open.id === id);
    if (byId !== undefined) return byId;
    const last = this.calls.at(-1);
    if (last === undefined || isNew(last)) return undefined;
    return id !== undefined && id !== null && id !== "" && name !== "" && last.id !== "" ? undefined : last;
  }
}

/** Some servers send an object where text is due. */
export function argumentText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function extraOf(fragment: CallFragment): { [key: string]: unknown } {
  return Object.fromEntries(
    Object.entries(fragment).filter(([key, value]) => !KNOWN.includes(key) && value !== null && value !== undefined),
  );
}

function isWhole(text: string): boolean {
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
