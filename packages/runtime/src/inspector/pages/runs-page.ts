import { element, fill, setText } from "../element.js";
import { duration, fullTime, plural, preview, timeAgo } from "../format.js";
import type { PageContext } from "../page.js";
import { goTo, linkTo } from "../router.js";
import { hasEnded, RUN_STATES, type RunRecord, type WorkflowEntry } from "../run-record.js";
import { curlButton } from "../views/copy-button.js";
import { statePill } from "../views/state-pill.js";

const PAGE = 50;
const REFRESH_MS = 2_000;

interface RunsAnswer {
  readonly runs: readonly RunRecord[];
  readonly cursor?: string;
}

/** The runs, the newest first, by state and workflow. The first page stays current. */
export async function runsPage({ api, place, main, signal, fail }: PageContext): Promise<string> {
  const { query } = place;
  const [state, workflow, namespace, cursor] = ["state", "workflow", "namespace", "cursor"].map(
    (name) => query.get(name) ?? undefined,
  );
  const search = new URLSearchParams({ limit: String(PAGE) });
  for (const [name, value] of Object.entries({ state, workflow, namespace, cursor })) {
    if (value !== undefined) search.set(name, value);
  }
  const path = `runs?${search}`;
  const [first, { workflows }] = await Promise.all([
    api.json<RunsAnswer>({ path }, { signal }),
    api.json<{ workflows: WorkflowEntry[] }>({ path: "workflows" }, { signal }),
  ]);
  const rows = new Map<string, HTMLTableRowElement>();
  const body = element("tbody");
  const empty = element("div", { class: "empty", hidden: true });
  const count = element("p", { class: "dim", role: "status" });
  const pager = element("nav", { class: "row pager", "aria-label": "Pages of the list" });
  const filters = { state, workflow, namespace };
  const choose = (change: Partial<Record<keyof typeof filters, string | undefined>>): void =>
    goTo(linkTo(["runs"], { ...filters, ...change }));

  const stateSelect = select(
    "State",
    [["", "all states"], ...RUN_STATES.map((each) => [each.toLowerCase(), each.toLowerCase()] as const)],
    { value: state ?? "", onChange: (value) => choose({ state: value }) },
  );
  const keyOf = (each: { name: string; namespace: string }): string => JSON.stringify([each.namespace, each.name]);
  const workflowSelect = select(
    "Workflow",
    [
      ["", "all workflows"],
      ...workflows.map(
        (each) => [keyOf(each), each.namespace === "default" ? each.name : `${each.namespace}/${each.name}`] as const,
      ),
    ],
    {
      value: workflow === undefined ? "" : keyOf({ name: workflow, namespace: namespace ?? "default" }),
      onChange: (value) => {
        const [chosenNamespace, name] = value === "" ? [] : (JSON.parse(value) as [string, string]);
        choose({ workflow: name, namespace: chosenNamespace });
      },
    },
  );
  fill(main, [
    element("div", { class: "page-head" }, [
      element("h1", { id: "page-title", tabindex: -1 }, "Runs"),
      element("div", { class: "row filters" }, [
        stateSelect,
        workflowSelect,
        curlButton(api, () => ({ path }), { what: "this list of runs" }),
      ]),
    ]),
    count,
    element("div", { class: "table-place" }, [
      element("table", { class: "runs" }, [
        element("thead", {}, [
          element(
            "tr",
            {},
            ["State", "Workflow", "Run", "Input", "Started", "Took"].map((title) =>
              element("th", { scope: "col", class: `col-${title.toLowerCase()}` }, title),
            ),
          ),
        ]),
        body,
      ]),
    ]),
    empty,
    pager,
  ]);
  show(first);
  fill(pager, [
    cursor !== undefined && element("a", { class: "button", href: linkTo(["runs"], filters) }, "Newest"),
    first.cursor !== undefined &&
      element("a", { class: "button", href: linkTo(["runs"], { ...filters, cursor: first.cursor }) }, "Older"),
  ]);
  if (cursor === undefined) void keepCurrent();
  return "Runs";

  async function keepCurrent(): Promise<void> {
    while (!signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
      if (signal.aborted) return;
      if (document.hidden) continue;
      try {
        show(await api.json<RunsAnswer>({ path }, { signal }));
      } catch (error) {
        if (!signal.aborted) fail(error);
      }
    }
  }

  /** Rows that are there already stay, so that whoever is at one of them stays there. */
  function show({ runs }: RunsAnswer): void {
    const wanted = new Set(runs.map(({ runId }) => runId));
    for (const [runId, row] of rows) {
      if (wanted.has(runId)) continue;
      row.remove();
      rows.delete(runId);
    }
    let before: Element | null = body.firstElementChild;
    for (const run of runs) {
      let row = rows.get(run.runId);
      if (row === undefined) {
        row = makeRow(run);
        rows.set(run.runId, row);
      }
      showRow(row, run);
      if (row === before) before = row.nextElementSibling;
      else body.insertBefore(row, before);
    }
    empty.hidden = runs.length > 0;
    setText(count, runs.length === 0 ? "" : `${plural(runs.length, "run")}${cursor === undefined ? "" : " before"}`);
    if (runs.length === 0) {
      const isFiltered = state !== undefined || workflow !== undefined;
      fill(empty, [
        element("p", {}, isFiltered ? "No run is like that." : "Nothing has run yet."),
        element("p", {}, [
          isFiltered
            ? element("a", { href: linkTo(["runs"]) }, "Show all runs")
            : element("a", { href: linkTo(["workflows"]) }, "Start a workflow"),
        ]),
      ]);
    }
  }
}

function makeRow({ runId, workflow, input }: RunRecord): HTMLTableRowElement {
  const link = element("a", { href: linkTo(["runs", runId]), title: runId }, runId);
  const row = element("tr", {}, [
    element("td", {}),
    element("td", {}, workflow),
    element("td", { class: "mono run-link" }, link),
    element("td", { class: "mono dim cut" }, preview(input ?? undefined, 120)),
    element("td", { class: "dim" }),
    element("td", { class: "dim" }),
  ]);
  // The whole row is a target for the mouse; the link in it for everybody.
  row.addEventListener("click", (event) => {
    if (event.target !== link && getSelection()?.isCollapsed !== false) link.click();
  });
  return row;
}

function showRow(row: HTMLTableRowElement, run: RunRecord): void {
  const [state, , , , started, took] = row.cells;
  const began = Date.parse(run.createdAt);
  if (state !== undefined && row.dataset.state !== run.state) fill(state, [statePill(run.state)]);
  row.dataset.state = run.state;
  if (started !== undefined) {
    setText(started, timeAgo(began));
    started.title = fullTime(began);
  }
  if (took === undefined) return;
  const isOver = hasEnded(run.state);
  setText(
    took,
    isOver ? duration(Date.parse(run.updatedAt) - began) : run.state === "RUNNING" ? duration(Date.now() - began) : "",
  );
}

function select(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  { value, onChange }: { readonly value: string; readonly onChange: (value: string) => void },
): HTMLElement {
  const made = element(
    "select",
    { "aria-label": label },
    options.map(([each, text]) => element("option", { value: each, selected: each === value }, text)),
  );
  made.addEventListener("change", () => onChange(made.value));
  return made;
}
