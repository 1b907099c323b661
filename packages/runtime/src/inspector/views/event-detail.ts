import { element } from "../element.js";
import { eventLabel, fullTime } from "../format.js";
import type { StoredEvent } from "../stored-event.js";
import { jsonView } from "./code.js";
import { copyButton } from "./copy-button.js";

/** Everything that the log says of one event. */
export function eventDetail({ seq, type, name, taskId, time, value }: StoredEvent): HTMLElement {
  const row = (term: string, text: string): HTMLElement[] => [
    element("dt", {}, term),
    element("dd", { class: "mono" }, text),
  ];
  return element("div", { class: "detail" }, [
    element("div", { class: "row" }, [
      element("h3", {}, `${seq} · ${eventLabel(type)}`),
      ...(value === undefined ? [] : [copyButton(() => JSON.stringify(value, null, 2), { what: "the value" })]),
    ]),
    element("dl", { class: "facts" }, [
      ...row("type", type),
      ...row("time", fullTime(time)),
      ...(name === undefined ? [] : row("name", name)),
      ...(taskId === undefined ? [] : row("task", taskId)),
    ]),
    ...(value === undefined ? [] : [jsonView(value, { label: `Value of event ${seq}` })]),
  ]);
}
