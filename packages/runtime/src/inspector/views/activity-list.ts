import type { Activity, Item } from "../activity.js";
import { element, fill, setText } from "../element.js";
import { duration, preview } from "../format.js";
import { jsonView } from "./code.js";

/** So many items are in the page; those before are in the log. */
const MOST_SHOWN = 100;

interface Card {
  readonly node: HTMLElement;
  readonly title: HTMLElement;
  readonly facts: HTMLElement;
  readonly text: HTMLElement;
  readonly reasoning: HTMLDetailsElement;
  readonly reasoningText: HTMLElement;
  readonly values: HTMLElement;
  /** What `values` was made of. */
  made: string;
}

/** What a run does, as cards in the order in which it began; text grows in place. */
export class ActivityList {
  readonly node: HTMLElement;
  readonly #activity: Activity;
  readonly #cards = new Map<Item, Card>();
  readonly #list: HTMLElement;
  readonly #earlier: HTMLElement;
  #isDrawing = false;
  /** Whether what is new is followed: as long as the end is in sight. */
  #follows = true;

  constructor(activity: Activity) {
    this.#activity = activity;
    // Not read out as it grows: a token at a time is no speech. What matters is announced.
    this.#list = element("ol", { class: "activity", "aria-label": "Activity" });
    this.#earlier = element("p", { class: "dim", hidden: true });
    this.node = element(
      "div",
      { class: "activity-place", tabindex: 0, role: "region", "aria-label": "What the run does" },
      [this.#earlier, this.#list],
    );
    this.node.addEventListener("scroll", () => {
      const { scrollTop, clientHeight, scrollHeight } = this.node;
      this.#follows = scrollTop + clientHeight >= scrollHeight - 40;
    });
  }

  changed(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#draw();
    });
  }

  #draw(): void {
    const { items, changed } = this.#activity;
    const first = Math.max(0, items.length - MOST_SHOWN);
    const shown = new Set(items.slice(first));
    for (const [item, card] of this.#cards) {
      if (shown.has(item)) continue;
      card.node.remove();
      this.#cards.delete(item);
    }
    for (const item of shown) {
      let card = this.#cards.get(item);
      const isNew = card === undefined;
      card ??= makeCard(item);
      if (isNew) {
        this.#cards.set(item, card);
        this.#list.append(card.node);
      }
      if (isNew || changed.has(item)) show(item, card);
    }
    changed.clear();
    if (this.#follows) this.node.scrollTop = this.node.scrollHeight;
    this.#earlier.hidden = first === 0;
    setText(this.#earlier, `${first.toLocaleString("en")} earlier steps are in the event log.`);
  }
}

function makeCard({ kind }: Item): Card {
  const title = element("span", { class: "card-title" });
  const facts = element("span", { class: "card-facts" });
  const text = element("div", { class: "card-text", hidden: true });
  const reasoningText = element("div", { class: "card-reasoning" });
  const reasoning = element("details", { hidden: true }, [element("summary", {}, "Reasoning"), reasoningText]);
  const values = element("div", { class: "card-values", hidden: true });
  const head = element("div", { class: "card-head" }, [title, facts]);
  const parts = kind === "note" ? [text] : [head, reasoning, text, values];
  return { node: element("li", {}, parts), title, facts, text, reasoning, reasoningText, values, made: "" };
}

function show(item: Item, card: Card): void {
  const { kind, state } = item;
  card.node.className = `card card-${kind} card-${state}`;
  fill(card.title, [element("i", { "aria-hidden": "true" }), ...titleOf(item)]);
  setText(card.facts, factsOf(item));
  // While it thinks, one sees it think; what it says is more.
  if (item.reasoning !== "" && card.reasoning.hidden) card.reasoning.open = item.text === "" && state === "running";
  card.reasoning.hidden = item.reasoning === "";
  setText(card.reasoningText, item.reasoning);
  card.text.hidden = item.text === "";
  setText(card.text, item.text);
  const made = `${state} ${item.error ?? ""} ${item.progress.length} ${"result" in item} ${"args" in item}`;
  if (kind !== "task" || made === card.made) {
    if (kind === "model" && item.error !== undefined) showError(item.error, card);
    return;
  }
  card.made = made;
  card.values.hidden = false;
  fill(card.values, [
    item.args !== undefined && value("arguments", item.args),
    ...item.progress.map((shown) => element("p", { class: "mono dim" }, preview(shown))),
    item.result !== undefined && value("result", item.result),
    item.error !== undefined && element("p", { class: "error-text" }, item.error),
  ]);
}

function showError(error: string, card: Card): void {
  card.values.hidden = false;
  fill(card.values, [element("p", { class: "error-text" }, error)]);
}

function titleOf({ kind, title, group }: Item): (Node | string)[] {
  const name =
    kind === "model" ? title.replace(/^llm_(\d+)$/, (_, step: string) => `model, step ${Number(step) + 1}`) : title;
  return [
    element("span", { class: kind === "task" ? "mono" : "" }, name),
    ...(group === "" ? [] : [element("span", { class: "card-group" }, group)]),
  ];
}

function factsOf({ state, startedAt, endedAt, usage }: Item): string {
  const parts: string[] = [];
  if (usage !== undefined) parts.push(`${usage.inputTokens ?? 0} in, ${usage.outputTokens ?? 0} out`);
  if (startedAt !== undefined && endedAt !== undefined) parts.push(duration(endedAt - startedAt));
  if (state === "waiting") parts.push("waits for somebody");
  else if (state === "running" || state === "failed") parts.push(state);
  return parts.join(" · ");
}

/** Short values stand in their line, long ones open. */
function value(term: string, given: unknown): HTMLElement {
  const text = JSON.stringify(given);
  if (text.length <= 120) {
    return element("p", { class: "inline-value" }, [
      element("span", { class: "dim" }, term),
      element("code", {}, text),
    ]);
  }
  const details = element("details", {}, [
    element("summary", {}, [element("span", { class: "dim" }, term), element("code", {}, preview(given, 110))]),
  ]);
  details.addEventListener("toggle", () => details.append(jsonView(given, { label: term })), { once: true });
  return details;
}
