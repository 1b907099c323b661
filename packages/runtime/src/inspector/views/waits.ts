import type { Json } from "../../manifest/json-schema.js";
import { announce } from "../announce.js";
import type { Api, ApiRequest } from "../api.js";
import { element, fill } from "../element.js";
import { jsonView } from "./code.js";
import { curlButton } from "./copy-button.js";
import { errorNote } from "./error-note.js";

export interface PendingApproval {
  readonly taskId: string;
  readonly name: string;
  readonly args: Json;
}

/** A pause of a run that somebody ends with a value. */
export interface OpenPause {
  readonly taskId: string;
  readonly name: string;
  readonly output?: Json;
}

export interface WaitsOptions {
  readonly api: Api;
  readonly runId: string;
  /** Called when a decision was taken. */
  onDecided(): void;
}

/** What a run waits for, and what may be done about it. */
export class Waits {
  readonly node: HTMLElement;
  readonly #options: WaitsOptions;
  /** By what is waited for: what somebody writes there is not lost when something else changes. */
  readonly #forms = new Map<string, HTMLElement>();
  readonly #list: HTMLElement;

  constructor(options: WaitsOptions) {
    this.#options = options;
    this.#list = element("div", { class: "stack" });
    this.node = element("section", { class: "panel waits", "aria-labelledby": "waits-title", hidden: true }, [
      element("h2", { id: "waits-title" }, "Waits for you"),
      this.#list,
    ]);
  }

  show(approvals: readonly PendingApproval[], pauses: readonly OpenPause[]): void {
    const wanted = new Map<string, () => HTMLElement>([
      ...approvals.map((each) => [`approval ${each.taskId}`, () => this.#approval(each)] as const),
      ...pauses.map((each) => [`pause ${each.taskId}`, () => this.#pause(each, pauses)] as const),
    ]);
    const hadFocus = this.node.contains(document.activeElement);
    for (const [key, form] of this.#forms) {
      if (wanted.has(key)) continue;
      form.remove();
      this.#forms.delete(key);
    }
    for (const [key, make] of wanted) {
      if (this.#forms.has(key)) continue;
      const form = make();
      this.#forms.set(key, form);
      this.#list.append(form);
    }
    this.node.hidden = wanted.size === 0;
    // Whoever was in a form that is gone goes on at the top of the page, not nowhere.
    if (hadFocus && !this.node.contains(document.activeElement)) document.getElementById("page-title")?.focus();
  }

  #approval({ taskId, name, args }: PendingApproval): HTMLElement {
    const by = textField("By", "optional");
    const reason = textField("Reason", "optional");
    const ask = (how: "approve" | "reject"): ApiRequest => ({
      method: "POST",
      path: `runs/${encodeURIComponent(this.#options.runId)}/${how}`,
      body: {
        taskId,
        ...(reason.input.value === "" ? {} : { reason: reason.input.value }),
        ...(by.input.value === "" ? {} : { by: by.input.value }),
      },
    });
    const button = (how: "approve" | "reject", text: string): HTMLElement =>
      element(
        "button",
        {
          type: "button",
          class: how === "approve" ? "primary" : "danger",
          "aria-label": `${text} ${name}`,
          on: { click: () => void act(how) },
        },
        text,
      );
    const problem = element("div", { role: "alert" });
    const form = element("div", { class: "wait", role: "group", "aria-label": `Decide on ${name}` }, [
      element("p", {}, [
        "The call of ",
        element("strong", { class: "mono" }, name),
        " needs a decision. Its arguments:",
      ]),
      jsonView(args, { label: `Arguments of ${name}` }),
      element("div", { class: "fields" }, [by.node, reason.node]),
      element("div", { class: "row actions" }, [
        button("approve", "Approve"),
        curlButton(this.#options.api, () => ask("approve"), { what: `approve ${name}` }),
        button("reject", "Reject"),
        curlButton(this.#options.api, () => ask("reject"), { what: `reject ${name}` }),
      ]),
      problem,
    ]);
    const act = (how: "approve" | "reject"): Promise<void> =>
      this.#act(ask(how), { form, problem, done: `${name} is ${how === "approve" ? "approved" : "rejected"}` });
    return form;
  }

  #pause({ taskId, name, output }: OpenPause, all: readonly OpenPause[]): HTMLElement {
    const area = element("textarea", { rows: 3, spellcheck: "false", placeholder: '"yes", 5, {"ok": true}' });
    const problem = element("div", { role: "alert" });
    const isAlone = all.filter((each) => each.name === name).length === 1;
    const ask = (): ApiRequest => ({
      method: "POST",
      path: `runs/${encodeURIComponent(this.#options.runId)}/resume`,
      body: {
        name: isAlone ? name : taskId,
        ...(area.value.trim() === "" ? {} : { value: JSON.parse(area.value) as Json }),
      },
    });
    const form = element("div", { class: "wait", role: "group", "aria-label": `Resume ${name}` }, [
      element("p", {}, ["The pause ", element("strong", { class: "mono" }, name), " waits for a value."]),
      output !== undefined && jsonView(output, { label: `What ${name} says` }),
      element("label", { class: "field" }, [element("span", {}, "Value, as JSON"), area]),
      element("div", { class: "row actions" }, [
        element(
          "button",
          { type: "button", class: "primary", "aria-label": `Resume ${name}`, on: { click: () => void act() } },
          "Resume",
        ),
        curlButton(this.#options.api, ask, { what: `resume ${name}` }),
      ]),
      problem,
    ]);
    const act = async (): Promise<void> => {
      try {
        ask();
      } catch (error) {
        fill(problem, [errorNote(new Error(`the value is no JSON: ${(error as Error).message}`))]);
        area.focus();
        return;
      }
      await this.#act(ask(), { form, problem, done: `${name} is resumed` });
    };
    return form;
  }

  async #act(request: ApiRequest, how: { form: HTMLElement; problem: HTMLElement; done: string }): Promise<void> {
    const { form, problem, done } = how;
    // A button that is disabled would lose the focus.
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    fill(problem, []);
    try {
      await this.#options.api.json(request);
      announce(done);
    } catch (error) {
      fill(problem, [errorNote(error)]);
    }
    form.ariaBusy = "false";
    this.#options.onDecided();
  }
}

function textField(label: string, hint: string): { readonly node: HTMLElement; readonly input: HTMLInputElement } {
  const input = element("input", { type: "text", placeholder: hint, autocomplete: "off" });
  return { input, node: element("label", { class: "field" }, [element("span", {}, label), input]) };
}
