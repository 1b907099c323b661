import { element, fill } from "../element.js";
import { plural } from "../format.js";
import type { PageContext } from "../page.js";
import { linkTo } from "../router.js";
import type { WorkflowEntry } from "../run-record.js";
import { curlButton } from "../views/copy-button.js";

/** The workflows that the server can run. */
export async function workflowsPage({ api, main, signal }: PageContext): Promise<string> {
  const { workflows } = await api.json<{ workflows: WorkflowEntry[] }>({ path: "workflows" }, { signal });
  fill(main, [
    element("div", { class: "page-head" }, [
      element("h1", { id: "page-title", tabindex: -1 }, "Workflows"),
      curlButton(api, () => ({ path: "workflows" }), { what: "this list of workflows" }),
    ]),
    workflows.length === 0
      ? element("div", { class: "empty" }, element("p", {}, "This server's engine has no workflows."))
      : element("p", { class: "dim" }, plural(workflows.length, "workflow")),
    element(
      "ul",
      { class: "entries" },
      workflows.map(({ name, namespace, description, input }) =>
        element("li", {}, [
          element("a", { class: "entry", href: linkTo(["workflows", namespace, name]) }, [
            element("strong", { class: "mono" }, namespace === "default" ? name : `${namespace}/${name}`),
            element("span", { class: "dim" }, description ?? ""),
            element(
              "span",
              { class: "dim entry-facts" },
              input === undefined ? "any input" : inputWords(Object.keys(input.properties ?? {})),
            ),
          ]),
        ]),
      ),
    ),
  ]);
  return "Workflows";
}

function inputWords(names: readonly string[]): string {
  const shown = names.slice(0, 4).join(", ");
  return names.length > 4 ? `${shown}, …` : shown;
}
