import { ApiError, type ApiRequest } from "../api.js";
import { element, fill } from "../element.js";
import type { PageContext } from "../page.js";
import { goTo, linkTo } from "../router.js";
import { type WorkflowEntry, workflowPath } from "../run-record.js";
import { jsonView } from "../views/code.js";
import { copyButton, curlButton } from "../views/copy-button.js";
import { errorNote } from "../views/error-note.js";
import { InputForm, InputProblem } from "../views/input-form.js";

/** One workflow: its input, and a form that starts a run. */
export async function workflowPage(context: PageContext): Promise<string> {
  const { api, place, main, signal, begun } = context;
  const [, namespace = "", name = ""] = place.parts;
  const { workflows } = await api.json<{ workflows: WorkflowEntry[] }>({ path: "workflows" }, { signal });
  const workflow = workflows.find((each) => each.name === name && each.namespace === namespace);
  if (workflow === undefined) throw new Error(`there is no workflow ${namespace}/${name} here`);
  const { description, input: schema } = workflow;
  const form = new InputForm(schema);
  let isStarting = false;
  const problem = element("div", { role: "alert" });
  const start = element("button", { type: "submit", class: "primary" }, "Start");
  const ask = (): ApiRequest => {
    const body = form.read();
    return {
      method: "POST",
      path: `workflows/${workflowPath(workflow)}/run/async`,
      ...(body === undefined ? {} : { body }),
    };
  };

  fill(main, [
    element("nav", { class: "crumbs", "aria-label": "Where this is" }, [
      element("a", { href: linkTo(["workflows"]) }, "Workflows"),
    ]),
    element("div", { class: "page-head" }, [
      element("div", {}, [
        element("h1", { id: "page-title", tabindex: -1 }, namespace === "default" ? name : `${namespace}/${name}`),
        description !== undefined && element("p", { class: "lead" }, description),
      ]),
      element("a", { class: "button", href: linkTo(["runs"], { workflow: name, namespace }) }, "Its runs"),
    ]),
    element("div", { class: "two" }, [
      element("section", { class: "panel", "aria-labelledby": "start-title" }, [
        element("h2", { id: "start-title" }, "Start a run"),
        element("form", { novalidate: true, on: { submit: (event) => void submit(event) } }, [
          form.node,
          problem,
          element("div", { class: "row actions" }, [start, curlButton(api, ask, { what: `start ${name}` })]),
        ]),
      ]),
      element("section", { class: "panel", "aria-labelledby": "schema-title" }, [
        element("div", { class: "row" }, [
          element("h2", { id: "schema-title" }, "Input schema"),
          schema !== undefined && copyButton(() => JSON.stringify(schema, null, 2), { what: "the schema" }),
        ]),
        schema === undefined
          ? element("p", { class: "dim" }, "None: the workflow takes any input. A manifest gives it one.")
          : jsonView(schema, { label: "Input schema" }),
      ]),
    ]),
  ]);
  return name;

  /** The run is begun by a stream, so that nothing of it is missed, and goes over to the page that shows it. */
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (isStarting) return;
    try {
      const { body } = ask();
      isStarting = true;
      fill(problem, []);
      form.showProblems([]);
      const path = `workflows/${workflowPath(workflow as WorkflowEntry)}/run/stream?detail=full`;
      const response = await api.send({ method: "POST", path, body });
      const runId = decodeURIComponent(response.headers.get("x-run-id") ?? "");
      if (signal.aborted) {
        void response.body?.cancel();
        return;
      }
      begun.set(runId, response);
      goTo(linkTo(["runs", runId]));
    } catch (error) {
      const problems = error instanceof InputProblem || error instanceof ApiError ? error.problems : [];
      const others = form.showProblems(problems);
      if (!(error instanceof InputProblem) || others.length > 0) fill(problem, [errorNote(error, others)]);
    } finally {
      isStarting = false;
    }
  }
}
