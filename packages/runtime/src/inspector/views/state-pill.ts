import { element } from "../element.js";

/** The state of a run, in words and by colour. */
export function statePill(state: string): HTMLElement {
  const known = /^[A-Z]+$/.test(state) ? state.toLowerCase() : "unknown";
  return element("span", { class: `pill pill-${known}` }, [
    element("i", { "aria-hidden": "true" }),
    state.toLowerCase(),
  ]);
}
