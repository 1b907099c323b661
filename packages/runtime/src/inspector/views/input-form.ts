import { formatPath } from "../../calls/refusal.js";
import type { Json, JsonSchema } from "../../manifest/json-schema.js";
import type { Problem } from "../api.js";
import { element, fill } from "../element.js";
import { type Field, fieldsOf, hintOf } from "../form-fields.js";

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface Row {
  readonly field: Field;
  readonly control: Control;
  readonly problem: HTMLElement;
}

/** What is written does not make a value: JSON that is none, a number that is none. */
export class InputProblem extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super("this is no value");
    this.problems = problems;
  }
}

/** The input of a workflow as a form with a field for each property, and as JSON; either is made from the other. */
export class InputForm {
  readonly node: HTMLElement;
  readonly #rows: readonly Row[];
  readonly #editor: HTMLTextAreaElement;
  readonly #editorProblem: HTMLElement;
  #mode: "form" | "json";

  constructor(schema: JsonSchema | undefined) {
    const fields = fieldsOf(schema);
    this.#rows = (fields ?? []).map(makeRow);
    this.#mode = fields === undefined ? "json" : "form";
    this.#editor = element("textarea", {
      id: "input-json",
      class: "mono",
      rows: 10,
      spellcheck: "false",
      "aria-describedby": "input-json-problem",
    });
    this.#editorProblem = element("ul", { class: "problems", id: "input-json-problem" });
    const form = element("div", { class: "stack form-fields" }, this.#rows.map(rowNode));
    const json = element("div", { class: "field" }, [
      element("label", { for: "input-json" }, "Input, as JSON (empty: none)"),
      this.#editor,
      this.#editorProblem,
    ]);
    const showMode = (): void => {
      form.hidden = this.#mode !== "form";
      json.hidden = this.#mode !== "json";
    };
    showMode();
    if (fields === undefined) {
      this.node = json;
      return;
    }
    const radio = (mode: "form" | "json", text: string): HTMLElement => {
      const input = element("input", { type: "radio", name: "input-mode", value: mode, checked: this.#mode === mode });
      input.addEventListener("change", () => {
        const problem = this.#switchTo(mode);
        if (problem !== undefined) {
          this.showProblems(problem.problems);
          (this.node.querySelector(`input[value=${this.#mode}]`) as HTMLInputElement).checked = true;
        }
        showMode();
      });
      return element("label", { class: "segment" }, [input, element("span", {}, text)]);
    };
    this.node = element("div", { class: "stack" }, [
      element("fieldset", { class: "segments" }, [
        element("legend", { class: "visually-hidden" }, "Write the input as"),
        radio("form", "Form"),
        radio("json", "JSON"),
      ]),
      form,
      json,
    ]);
  }

  /** @returns Undefined for no input at all. @throws {InputProblem} */
  read(): Json | undefined {
    if (this.#mode === "json") {
      const text = this.#editor.value;
      return text.trim() === "" ? undefined : parse(text, []);
    }
    const problems: Problem[] = [];
    const members: [string, Json][] = [];
    for (const { field, control } of this.#rows) {
      try {
        const value = readControl(field, control);
        if (value !== undefined) members.push([field.name, value]);
      } catch (error) {
        if (!(error instanceof InputProblem)) throw error;
        problems.push(...error.problems);
      }
    }
    if (problems.length > 0) throw new InputProblem(problems);
    return Object.fromEntries(members);
  }

  /** Shows each problem at its field, and goes to the first one. @returns Those that have no field. */
  showProblems(problems: readonly Problem[]): readonly Problem[] {
    const line = ({ path, message }: Problem): HTMLElement =>
      element("li", {}, [element("code", {}, formatPath(path)), ` ${message}`]);
    let first: Control | undefined;
    for (const { field, control, problem } of this.#rows) {
      const own = problems.filter(({ path }) => path[0] === field.name);
      fill(problem, own.map(line));
      control.setAttribute("aria-invalid", String(own.length > 0));
      if (own.length > 0) first ??= control;
    }
    fill(this.#editorProblem, problems.map(line));
    this.#editor.setAttribute("aria-invalid", String(problems.length > 0));
    if (problems.length === 0) return [];
    if (this.#mode === "json") {
      this.#editor.focus();
      return [];
    }
    first?.focus();
    return problems.filter(({ path }) => !this.#rows.some(({ field }) => field.name === path[0]));
  }

  #switchTo(mode: "form" | "json"): InputProblem | undefined {
    try {
      const value = this.read();
      if (mode === "json") this.#editor.value = value === undefined ? "" : JSON.stringify(value, null, 2);
      else this.#write(value);
      this.#mode = mode;
      this.showProblems([]);
      return undefined;
    } catch (error) {
      if (error instanceof InputProblem) return error;
      throw error;
    }
  }

  #write(value: Json | undefined): void {
    const members = (value ?? {}) as { readonly [name: string]: Json };
    const isObject = typeof members === "object" && members !== null && !Array.isArray(members);
    const known = new Set(this.#rows.map(({ field }) => field.name));
    const others = isObject ? Object.keys(members).filter((name) => !known.has(name)) : [];
    if (!isObject || others.length > 0) {
      throw new InputProblem([
        { path: others.slice(0, 1), message: isObject ? "has no field in the form" : "must be an object for the form" },
      ]);
    }
    for (const { field, control } of this.#rows) {
      control.value = textOf(field, Object.hasOwn(members, field.name) ? members[field.name] : undefined);
    }
  }
}

function makeRow(field: Field, index: number): Row {
  const { kind, isRequired, schema, choices } = field;
  const id = `input-${index}`;
  const shared = {
    id,
    "aria-describedby": `${id}-hint ${id}-problem`,
    "aria-required": String(isRequired),
    autocomplete: "off",
    spellcheck: "false",
  };
  let control: Control;
  if (kind === "choice" || kind === "boolean") {
    const values = kind === "boolean" ? [false, true] : choices;
    const isOpen = !isRequired || (kind === "choice" && values.length > 1);
    control = element("select", shared, [
      ...(isOpen ? [element("option", { value: "" }, isRequired ? "choose…" : "leave out")] : []),
      ...values.map((each) =>
        element("option", { value: JSON.stringify(each) }, typeof each === "string" ? each : JSON.stringify(each)),
      ),
    ]);
  } else if (kind === "json" || isProse(field)) {
    control = element("textarea", {
      ...shared,
      rows: kind === "json" ? 3 : 1,
      class: kind === "json" ? "mono" : undefined,
    });
  } else control = element("input", { ...shared, type: "text", inputmode: kind === "number" ? "decimal" : undefined });
  if (schema.default !== undefined) control.value = textOf(field, schema.default);
  return { field, control, problem: element("ul", { class: "problems", id: `${id}-problem` }) };
}

/** A text of which nothing says that it is short. */
function isProse({ kind, schema }: Field): boolean {
  const { format, pattern, maxLength } = schema;
  return kind === "text" && format === undefined && pattern === undefined && (maxLength ?? Infinity) > 100;
}

function rowNode({ field, control, problem }: Row): HTMLElement {
  const hint = [field.schema.description ?? "", hintOf(field)].filter((text) => text !== "").join(" · ");
  return element("div", { class: "field" }, [
    element("label", { for: control.id }, [
      element("span", { class: "mono" }, field.name),
      element("span", { class: "dim" }, field.isRequired ? "" : " optional"),
    ]),
    control,
    element("p", { class: "hint", id: `${control.id}-hint` }, hint),
    problem,
  ]);
}

/** @throws {InputProblem} */
function readControl({ name, kind, isRequired }: Field, control: Control): Json | undefined {
  const text = control.value;
  if (kind === "text") return text === "" && !isRequired ? undefined : text;
  // What is missing is said by the server, as everything that does not fit.
  if (text.trim() === "") return undefined;
  if (kind !== "number") return parse(text, [name]);
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  throw new InputProblem([{ path: [name], message: "must be a number" }]);
}

function textOf({ kind }: Field, value: Json | undefined): string {
  if (value === undefined) return "";
  return kind === "text" && typeof value === "string" ? value : JSON.stringify(value, null, kind === "json" ? 2 : 0);
}

/** @throws {InputProblem} */
function parse(text: string, path: readonly string[]): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new InputProblem([{ path, message: `is no JSON: ${(error as Error).message}` }]);
  }
}
