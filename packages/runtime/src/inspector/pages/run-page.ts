import { Activity } from "../activity.js";
import { announce, say } from "../announce.js";
import type { ApiRequest } from "../api.js";
import { element, fill, setText } from "../element.js";
import { type Connection, followRun, isLast } from "../follow-run.js";
import { duration, fullTime, plural } from "../format.js";
import { openPauses } from "../open-pauses.js";
import type { PageContext } from "../page.js";
import type { Frame } from "../read-frames.js";
import { goTo, linkTo } from "../router.js";
import { hasEnded, type RunRecord } from "../run-record.js";
import type { StoredEvent } from "../stored-event.js";
import { ActivityList } from "../views/activity-list.js";
import { jsonView } from "../views/code.js";
import { copyButton, curlButton } from "../views/copy-button.js";
import { eventDetail } from "../views/event-detail.js";
import { statePill } from "../views/state-pill.js";
import { Timeline } from "../views/timeline.js";
import { type PendingApproval, Waits } from "../views/waits.js";

/** One run: what it does, what it waits for, its log; as it goes on. */
export async function runPage(context: PageContext): Promise<string> {
  const { api, place, main, signal, begun, fail } = context;
  const runId = place.parts[1] ?? "";
  const path = `runs/${encodeURIComponent(runId)}`;
  let run = await api.json<RunRecord>({ path }, { signal });
  const stream = begun.get(runId);
  begun.delete(runId);
  const events: StoredEvent[] = [];
  const activity = new Activity();
  const activityList = new ActivityList(activity);
  const waits = new Waits({ api, runId, onDecided: () => void refresh() });
  const detail = element(
    "div",
    { class: "detail-place" },
    element("p", { class: "dim" }, "Select an event to see all of it."),
  );
  const timeline = new Timeline({ onSelect: (event) => fill(detail, [eventDetail(event)]) });
  const head = element("div", { class: "run-facts" });
  const outcome = element("div", { class: "stack" });
  const connection = element("span", { class: "connection" });
  const count = element("span", { class: "dim" });
  const cancel: ApiRequest = { method: "POST", path: `${path}/cancel` };
  const remove: ApiRequest = { method: "DELETE", path };
  const actions = element("div", { class: "row actions" });
  const filter = element("input", {
    type: "search",
    placeholder: "Filter events",
    "aria-label": "Filter events by type, name or task",
    on: { input: () => showCount(timeline.filter(filter.value)) },
  });

  fill(main, [
    element("nav", { class: "crumbs", "aria-label": "Where this is" }, [
      element("a", { href: linkTo(["runs"]) }, "Runs"),
      element("a", { href: linkTo(["workflows", run.namespace, run.workflow]) }, run.workflow),
    ]),
    element("div", { class: "page-head" }, [
      element("div", {}, [
        element("h1", { id: "page-title", tabindex: -1 }, run.workflow),
        element("p", { class: "mono dim row" }, [
          element("span", { class: "run-id" }, runId),
          copyButton(() => runId, { what: "the run's id" }),
          curlButton(api, () => ({ path: `${path}/stream` }), { what: "follow this run" }),
        ]),
      ]),
      actions,
    ]),
    head,
    waits.node,
    outcome,
    element("div", { class: "run-columns" }, [
      element("section", { class: "panel", "aria-labelledby": "activity-title" }, [
        element("div", { class: "row" }, [element("h2", { id: "activity-title" }, "Activity"), connection]),
        activityList.node,
      ]),
      element("section", { class: "panel", "aria-labelledby": "log-title" }, [
        element("div", { class: "row" }, [
          element("h2", { id: "log-title" }, "Event log"),
          count,
          curlButton(api, () => ({ path: `${path}/events` }), { what: "the event log" }),
          filter,
        ]),
        timeline.node,
        detail,
      ]),
    ]),
  ]);
  const onResize = (): void => timeline.resized();
  addEventListener("resize", onResize, { signal });
  showRun();
  const ticks = setInterval(showFacts, 1_000);
  signal.addEventListener("abort", () => clearInterval(ticks));

  if (stream === undefined) {
    const stored = await api.json<{ events: StoredEvent[] }>({ path: `${path}/events` }, { signal });
    take(stored.events);
  }
  await showWaits();
  const from = events.at(-1)?.seq ?? 0;
  followRun(api, runId, { from, begun: stream, signal, onFrame: takeFrame, onConnection: showConnection }).catch(fail);
  return `${run.workflow} · ${run.state.toLowerCase()}`;

  function take(added: readonly StoredEvent[]): void {
    for (const event of added) {
      events.push(event);
      activity.apply(event);
    }
    timeline.add(added);
    activityList.changed();
    showCount();
  }

  function takeFrame(frame: Frame): void {
    if (frame.seq === undefined) {
      activity.apply(frame);
      activityList.changed();
      return;
    }
    take([{ ...frame, seq: frame.seq, time: frame.time ?? Date.now() }]);
    if (/^WORKFLOW_|^TASK_(AWAITING|APPROVED|REJECTED|PAUSED|RESUMED)/.test(frame.type)) void refresh();
    else if (frame.type === "TASK_COMPLETED" || frame.type === "TASK_FAILED") {
      const isOfPause = events.some(({ type, taskId }) => type === "TASK_PAUSED" && taskId === frame.taskId);
      if (isOfPause) void refresh();
    }
    if (isLast(frame)) say(`The run is ${frame.type.replace("WORKFLOW_", "").toLowerCase()}`);
  }

  async function refresh(): Promise<void> {
    try {
      run = await api.json<RunRecord>({ path }, { signal });
      showRun();
      await showWaits();
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  async function showWaits(): Promise<void> {
    if (hasEnded(run.state)) {
      waits.show([], []);
      return;
    }
    const { approvals } = await api.json<{ approvals: PendingApproval[] }>({ path: `${path}/approvals` }, { signal });
    const pauses = openPauses(events);
    const wasHidden = waits.node.hidden;
    waits.show(approvals, pauses);
    if (wasHidden && !waits.node.hidden) {
      say(`The run waits for you: ${[...approvals, ...pauses].map(({ name }) => name).join(", ")}`);
    }
  }

  function showRun(): void {
    showFacts();
    document.title = `${run.workflow} · ${run.state.toLowerCase()} · callsign`;
    const isOver = hasEnded(run.state);
    if (actions.dataset.over !== String(isOver)) {
      actions.dataset.over = String(isOver);
      const hadFocus = actions.contains(document.activeElement);
      fill(
        actions,
        isOver
          ? [button("Delete", () => void act(remove)), curlButton(api, () => remove, { what: "delete this run" })]
          : [button("Cancel", () => void act(cancel)), curlButton(api, () => cancel, { what: "cancel this run" })],
      );
      if (hadFocus) document.getElementById("page-title")?.focus();
    }
    const { result, error, input } = run;
    const made = JSON.stringify([isOver, error ?? null]);
    if (outcome.dataset.made === made) return;
    outcome.dataset.made = made;
    fill(outcome, [
      error !== undefined &&
        element("section", { class: "panel bad", "aria-label": "Error" }, [
          element("p", {}, [
            element("strong", {}, run.state === "CANCELLED" ? "Cancelled: " : "Failed: "),
            error.message,
          ]),
          error.code !== undefined && element("p", { class: "mono dim" }, error.code),
          error.details !== undefined && jsonView(error.details, { label: "Details of the error" }),
        ]),
      element("div", { class: "two" }, [
        input !== null && folded("Input", input, { isOpen: !isOver }),
        result !== undefined && folded("Result", result, { isOpen: true }),
      ]),
    ]);
  }

  function showFacts(): void {
    const { state, createdAt, updatedAt, wakeAt } = run;
    const began = Date.parse(createdAt);
    const took = (hasEnded(state) ? Date.parse(updatedAt) : Date.now()) - began;
    if (head.dataset.state !== state) {
      head.dataset.state = state;
      fill(head, [
        statePill(state),
        element("span", {}, `started ${fullTime(began).slice(0, 19)}`),
        element("span", { class: "took" }),
        wakeAt !== undefined &&
          element("span", {}, `goes on by itself at ${fullTime(Date.parse(wakeAt)).slice(0, 19)}`),
      ]);
    }
    const text = head.querySelector(".took");
    if (text !== null) setText(text, `${hasEnded(state) ? "took" : "for"} ${duration(took)}`);
  }

  function showCount(shown = events.length): void {
    const all = plural(events.length, "event");
    setText(count, filter.value === "" ? all : `${shown.toLocaleString("en")} of ${all}`);
  }

  function showConnection(to: Connection): void {
    connection.className = `connection connection-${to}`;
    setText(connection, to === "live" ? "live" : to === "waiting" ? "connecting again…" : "");
  }

  async function act(request: ApiRequest): Promise<void> {
    try {
      await api.json(request);
      if (request === remove) {
        announce("The run is deleted");
        goTo(linkTo(["runs"]));
        return;
      }
      announce("The run is being cancelled");
      await refresh();
    } catch (error) {
      fail(error);
    }
  }
}

function button(text: string, onClick: () => void): HTMLElement {
  return element("button", { type: "button", class: "danger", on: { click: onClick } }, text);
}

function folded(title: string, value: unknown, { isOpen }: { readonly isOpen: boolean }): HTMLElement {
  return element("details", { class: "panel", open: isOpen }, [
    element("summary", {}, element("h2", {}, title)),
    typeof value === "string" ? element("div", { class: "text-value" }, value) : jsonView(value, { label: title }),
  ]);
}
