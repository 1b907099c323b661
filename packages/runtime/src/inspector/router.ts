/** Where in the page one is: `#/runs/ID?state=paused`. */
export interface Place {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

export function currentPlace(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path
    .split("/")
    .filter((part) => part !== "")
    .map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
  return { parts, query: new URLSearchParams(query) };
}

/** The address of a place, for links. */
export function linkTo(parts: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") search.set(name, value);
  const path = `#/${parts.map(encodeURIComponent).join("/")}`;
  return search.size === 0 ? path : `${path}?${search}`;
}

export function goTo(link: string): void {
  location.hash = link.slice(1);
}
