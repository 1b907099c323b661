import type { ManifestTool } from "../../manifest/manifest.js";
import { element, fill } from "../element.js";
import { plural } from "../format.js";
import type { PageContext } from "../page.js";
import { linkTo } from "../router.js";
import { curlButton } from "../views/copy-button.js";

export interface ToolsAnswer {
  readonly tools: readonly ManifestTool[];
  readonly targets: readonly string[];
}

/** The tools of the manifest. */
export async function toolsPage({ api, main, signal }: PageContext): Promise<string> {
  const { tools } = await api.json<ToolsAnswer>({ path: "tools" }, { signal });
  const count = element("p", { class: "dim", role: "status" }, tools.length === 0 ? "" : plural(tools.length, "tool"));
  const list = element("ul", { class: "entries" });
  const filter = element("input", {
    type: "search",
    placeholder: "Filter tools",
    "aria-label": "Filter tools by name or description",
    on: { input: () => show() },
  });
  fill(main, [
    element("div", { class: "page-head" }, [
      element("h1", { id: "page-title", tabindex: -1 }, "Tools"),
      element("div", { class: "row filters" }, [
        tools.length > 0 && filter,
        curlButton(api, () => ({ path: "tools" }), { what: "this list of tools" }),
      ]),
    ]),
    count,
    list,
    tools.length === 0 &&
      element("div", { class: "empty" }, [
        element("p", {}, "The server was started without a manifest, so it knows of no tools."),
        element("p", { class: "dim" }, ["Give one: ", element("code", {}, "serve({ engine, manifest })")]),
      ]),
  ]);
  show();
  return "Tools";

  function show(): void {
    const words = filter.value.trim().toLowerCase();
    const found = tools.filter(({ name, description = "" }) => `${name} ${description}`.toLowerCase().includes(words));
    if (words !== "") count.textContent = `${found.length} of ${plural(tools.length, "tool")}`;
    else if (tools.length > 0) count.textContent = plural(tools.length, "tool");
    fill(
      list,
      found.map((tool) =>
        element("li", {}, [
          element("a", { class: "entry", href: linkTo(["tools", tool.name]) }, [
            element("strong", { class: "mono" }, tool.name),
            element("span", { class: "dim" }, tool.summary ?? tool.description ?? ""),
            element("span", { class: "entry-facts" }, toolTags(tool)),
          ]),
        ]),
      ),
    );
  }
}

/** What is special about a tool, as small marks. */
export function toolTags({
  requiresApproval,
  once,
  worker,
  sequential,
  streams,
  deprecated,
}: ManifestTool): HTMLElement[] {
  const marks = { "needs approval": requiresApproval, once, worker, sequential, streams, deprecated };
  return Object.entries(marks).flatMap(([text, isSet]) =>
    isSet === true ? [element("span", { class: "tag" }, text)] : [],
  );
}
