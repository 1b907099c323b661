import { formatPath } from "../../calls/refusal.js";
import { ApiError, type Problem } from "../api.js";
import { element } from "../element.js";

/** An error as the page shows it: with every place that does not fit. @param shown Those, if not all. */
export function errorNote(error: unknown, shown?: readonly Problem[]): HTMLElement {
  const all = error instanceof ApiError ? error.problems : [];
  const problems = shown ?? all;
  const message = error instanceof Error ? error.message : String(error);
  // The places stand in the message too, one a line.
  const line = all.length === 0 ? message : (message.split("\n", 1)[0] ?? message);
  const first = problems.length === 0 ? line.replace(/:$/, "") : line;
  return element("div", { class: "error-note" }, [
    element("p", {}, first),
    problems.length > 0 &&
      element(
        "ul",
        {},
        problems.map(({ path, message: text }) =>
          element("li", {}, [element("code", {}, formatPath(path)), ` ${text}`]),
        ),
      ),
  ]);
}
