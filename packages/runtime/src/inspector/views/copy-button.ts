import { announce } from "../announce.js";
import type { Api } from "../api.js";
import { curlCommand } from "../curl.js";
import { element } from "../element.js";
import type { Ask } from "../page.js";

/** Copies a request as a command: what a button of the page does, for a terminal. @param what The action, for those who listen. */
export function curlButton(api: Api, ask: Ask, { what }: { readonly what: string }): HTMLElement {
  const label = `Copy as curl: ${what}`;
  return element(
    "button",
    {
      type: "button",
      class: "quiet",
      title: label,
      "aria-label": label,
      on: { click: () => void copyCommand() },
    },
    "curl",
  );

  async function copyCommand(): Promise<void> {
    try {
      const command = curlCommand(ask(), { base: document.baseURI, hasToken: api.hasToken });
      await copyText(command, { what: "the command" });
    } catch (error) {
      announce(`No command: ${(error as Error).message}`);
    }
  }
}

export function copyButton(text: () => string, { what }: { readonly what: string }): HTMLElement {
  const on = { click: () => void copyText(text(), { what }) };
  return element("button", { type: "button", class: "quiet", "aria-label": `Copy ${what}`, on }, "copy");
}

async function copyText(text: string, { what }: { readonly what: string }): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce(`Copied ${what}`);
  } catch {
    // Pages that are not served over TLS or by this very machine may not write there: the reader copies.
    showText(text, what);
  }
}

function showText(text: string, what: string): void {
  const area = element("textarea", { readonly: true, rows: 8, "aria-label": what, spellcheck: "false" });
  area.value = text;
  const close = element("button", { type: "button", on: { click: () => dialog.close() } }, "Close");
  const dialog = element("dialog", { "aria-label": `Copy ${what}` }, [
    element("p", {}, "This browser does not let the page copy. Copy it from here:"),
    area,
    close,
  ]);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  area.select();
}
