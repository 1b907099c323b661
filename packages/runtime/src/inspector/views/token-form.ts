import { element, fill } from "../element.js";
import { keepToken } from "../kept-token.js";

/** Asks the reader for the server's token. It is kept in memory; in the tab's storage only if that is wished. */
export function askToken(main: HTMLElement): Promise<string> {
  return new Promise((resolve) => {
    const token = element("input", {
      type: "password",
      id: "token",
      autocomplete: "off",
      spellcheck: "false",
      required: true,
    });
    const keep = element("input", { type: "checkbox", id: "keep" });
    const submit = (event: Event): void => {
      event.preventDefault();
      const given = token.value.trim();
      if (given === "") return;
      keepToken(keep.checked ? given : undefined);
      form.remove();
      resolve(given);
    };
    const form = element("form", { class: "panel token-form", novalidate: true, on: { submit } }, [
      element("h1", { id: "page-title", tabindex: -1 }, "This server asks for its token"),
      element("label", { class: "field", for: "token" }, [element("span", {}, "Token"), token]),
      element("label", { class: "check" }, [keep, " keep it until this tab is closed"]),
      element("button", { type: "submit", class: "primary" }, "Go on"),
    ]);
    fill(main, [form]);
    token.focus();
  });
}
