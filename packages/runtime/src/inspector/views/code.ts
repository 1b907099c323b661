import { element } from "../element.js";

/** Longer texts are shown without colours, and cut until somebody wants the rest. */
const COLOURED_UP_TO = 60_000;
const SHOWN_UP_TO = 200_000;

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g;

/** A JSON value, pretty-printed. Strings stand alone where the value is one. */
export function jsonView(value: unknown, { label }: { readonly label: string }): HTMLElement {
  if (value === undefined) return element("p", { class: "dim" }, "nothing");
  const text = JSON.stringify(value, null, 2);
  return codeView(text, { label, isJson: text.length <= COLOURED_UP_TO });
}

export function codeView(text: string, how: { readonly label: string; readonly isJson?: boolean }): HTMLElement {
  const { label, isJson = false } = how;
  const shown = text.slice(0, SHOWN_UP_TO);
  const code = element("code", {}, isJson ? coloured(shown) : [shown]);
  // What scrolls can be reached by keyboard.
  const block = element("pre", { class: "code", tabindex: 0, role: "region", "aria-label": label }, code);
  if (shown.length === text.length) return block;
  const more = element(
    "button",
    {
      type: "button",
      on: {
        click: () => {
          code.textContent = text;
          more.remove();
        },
      },
    },
    `Show all ${text.length.toLocaleString("en")} characters`,
  );
  return element("div", {}, [block, more]);
}

function coloured(json: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let last = 0;
  for (const match of json.matchAll(TOKEN)) {
    const [whole, string, colon] = match;
    if (match.index > last) parts.push(json.slice(last, match.index));
    const kind = string === undefined ? "literal" : colon === undefined ? "string" : "key";
    parts.push(element("span", { class: `json-${kind}` }, string ?? whole));
    if (colon !== undefined) parts.push(colon);
    last = match.index + whole.length;
  }
  parts.push(json.slice(last));
  return parts;
}
