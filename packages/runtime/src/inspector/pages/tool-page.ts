import type { Json } from "../../manifest/json-schema.js";
import type { ManifestTool } from "../../manifest/manifest.js";
import { element, fill } from "../element.js";
import type { PageContext } from "../page.js";
import { linkTo } from "../router.js";
import { jsonView } from "../views/code.js";
import { copyButton, curlButton } from "../views/copy-button.js";
import { type ToolsAnswer, toolTags } from "./tools-page.js";

/** A tool as one provider gets it. */
interface WireAnswer {
  readonly target: string;
  readonly used: string;
  readonly strict: boolean;
  readonly wire: Json;
  readonly dropped: readonly { readonly pointer: string; readonly keyword: string; readonly value: Json }[];
  readonly notes: readonly string[];
}

/** One tool: its neutral schema, and what each provider gets of it. */
export async function toolPage({ api, place, main, signal }: PageContext): Promise<string> {
  const name = place.parts[1] ?? "";
  const { tools, targets } = await api.json<ToolsAnswer>({ path: "tools" }, { signal });
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name} in the manifest`);
  const path = `tools/${encodeURIComponent(name)}`;
  const target = place.query.get("target") ?? targets[0] ?? "";
  const wirePath = `${path}?target=${encodeURIComponent(target)}`;
  const wire = await api.json<WireAnswer>({ path: wirePath }, { signal });
  fill(main, [
    element("nav", { class: "crumbs", "aria-label": "Where this is" }, [
      element("a", { href: linkTo(["tools"]) }, "Tools"),
    ]),
    element("div", { class: "page-head" }, [
      element("div", {}, [
        element("h1", { id: "page-title", class: "mono", tabindex: -1 }, name),
        element("p", { class: "dim mono" }, `${tool.module} · ${tool.export}`),
        element("p", { class: "row" }, toolTags(tool)),
      ]),
    ]),
    tool.description !== undefined && element("p", { class: "lead prose" }, tool.description),
    element("div", { class: "two" }, [neutralPanel(tool), wirePanel()]),
  ]);
  return name;

  function neutralPanel({ parameters, returns }: ManifestTool): HTMLElement {
    return element("section", { class: "panel", "aria-labelledby": "neutral-title" }, [
      element("div", { class: "row" }, [
        element("h2", { id: "neutral-title" }, "Neutral schema"),
        copyButton(() => JSON.stringify(parameters, null, 2), { what: "the neutral schema" }),
        curlButton(api, () => ({ path }), { what: `the tool ${name}` }),
      ]),
      jsonView(parameters, { label: "Neutral schema of the arguments" }),
      element("h3", {}, "Returns"),
      returns === undefined
        ? element("p", { class: "dim" }, "Not described.")
        : jsonView(returns, { label: "Schema of the result" }),
    ]);
  }

  function wirePanel(): HTMLElement {
    const { used, strict, dropped, notes } = wire;
    const size = JSON.stringify(wire.wire).length;
    return element("section", { class: "panel", "aria-labelledby": "wire-title" }, [
      element("div", { class: "row" }, [
        element("h2", { id: "wire-title" }, "On the wire"),
        copyButton(() => JSON.stringify(wire.wire, null, 2), { what: "the wire form" }),
        curlButton(api, () => ({ path: wirePath }), { what: `the tool ${name} for ${target}` }),
      ]),
      element(
        "nav",
        { class: "targets", "aria-label": "Targets" },
        targets.map((each) =>
          element(
            "a",
            { href: linkTo(["tools", name], { target: each }), "aria-current": each === target ? "true" : undefined },
            each,
          ),
        ),
      ),
      element("p", { class: "dim" }, [
        used === target ? "" : `Sent as ${used}: the schema does not fit ${target}. `,
        strict
          ? "The provider enforces the schema. "
          : "The provider does not enforce the schema; callsign checks each call. ",
        `${size.toLocaleString("en")} bytes.`,
      ]),
      notes.length > 0 &&
        element(
          "ul",
          { class: "notes" },
          notes.map((note) => element("li", {}, note)),
        ),
      dropped.length > 0 &&
        element("div", {}, [
          element("h3", {}, "What this wire cannot say"),
          element("p", { class: "dim" }, "It stands in the description instead, and is still checked."),
          element("div", { class: "table-place" }, [
            element("table", { class: "dropped" }, [
              element(
                "thead",
                {},
                element(
                  "tr",
                  {},
                  ["Where", "Keyword", "Value"].map((title) => element("th", { scope: "col" }, title)),
                ),
              ),
              element(
                "tbody",
                {},
                dropped.map(({ pointer, keyword, value }) =>
                  element("tr", { class: "mono" }, [
                    element("td", {}, pointer === "" ? "(root)" : pointer),
                    element("td", {}, keyword),
                    element("td", {}, JSON.stringify(value)),
                  ]),
                ),
              ),
            ]),
          ]),
        ]),
      jsonView(wire.wire, { label: `Wire form for ${target}` }),
    ]);
  }
}
