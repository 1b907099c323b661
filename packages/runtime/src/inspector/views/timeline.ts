import { element, fill } from "../element.js";
import { duration, eventLabel, preview } from "../format.js";
import { RunClock } from "../run-clock.js";
import { type StoredEvent, toneOf } from "../stored-event.js";

const ROW_HEIGHT = 30;
const MOST_HEIGHT = 14 * ROW_HEIGHT;
/** Rows that are there above and below what is seen. */
const SPARE_ROWS = 8;

/**
 * A run's event log as a list in which one event is selected. Only the rows in sight are in the page, so that a log of
 * tens of thousands is no slower than one of ten.
 */
export class Timeline {
  readonly node: HTMLElement;
  readonly #list: HTMLElement;
  readonly #rows: HTMLElement;
  readonly #clock = new RunClock();
  readonly #onSelect: (event: StoredEvent) => void;
  #events: StoredEvent[] = [];
  #shown: StoredEvent[] = [];
  #filter = "";
  #active = -1;
  #isDrawing = false;
  /** Whether new events are followed: as long as the end is in sight. */
  #follows = true;

  constructor({ onSelect }: { readonly onSelect: (event: StoredEvent) => void }) {
    this.#onSelect = onSelect;
    this.#rows = element("div", { class: "timeline-rows", role: "presentation" });
    this.#list = element(
      "div",
      {
        class: "timeline",
        role: "listbox",
        tabindex: 0,
        "aria-label": "Events",
        on: {
          scroll: () => this.#onScroll(),
          keydown: (event) => this.#onKey(event),
          focus: () => this.#onFocus(),
          click: (event) => this.#onClick(event),
        },
      },
      this.#rows,
    );
    this.node = this.#list;
  }

  get count(): number {
    return this.#events.length;
  }

  add(events: readonly StoredEvent[]): void {
    for (const event of events) {
      this.#clock.add(event);
      this.#events.push(event);
      if (this.#fits(event)) this.#shown.push(event);
    }
    this.#draw();
  }

  /** @returns How many are left. */
  filter(words: string): number {
    this.#filter = words.trim().toLowerCase();
    const selected = this.#shown[this.#active];
    this.#shown = this.#filter === "" ? [...this.#events] : this.#events.filter((event) => this.#fits(event));
    this.#active = selected === undefined ? -1 : this.#shown.indexOf(selected);
    this.#draw();
    return this.#shown.length;
  }

  /** Draws again when its place in the page has another size. */
  resized(): void {
    this.#draw();
  }

  #fits({ type, name = "", taskId = "" }: StoredEvent): boolean {
    return this.#filter === "" || `${type} ${eventLabel(type)} ${name} ${taskId}`.toLowerCase().includes(this.#filter);
  }

  #onScroll(): void {
    const { scrollTop, clientHeight, scrollHeight } = this.#list;
    this.#follows = scrollTop + clientHeight >= scrollHeight - ROW_HEIGHT;
    this.#draw();
  }

  #onFocus(): void {
    if (this.#active < 0 && this.#shown.length > 0) this.#select(0);
  }

  #onClick(event: MouseEvent): void {
    const row = event.target instanceof Element ? event.target.closest("[data-index]") : null;
    if (row !== null) this.#select(Number(row.getAttribute("data-index")));
  }

  #onKey(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.#list.clientHeight / ROW_HEIGHT) - 1);
    const last = this.#shown.length - 1;
    const to: { readonly [key: string]: number } = {
      ArrowDown: this.#active + 1,
      ArrowUp: this.#active - 1,
      PageDown: this.#active + page,
      PageUp: this.#active - page,
      Home: 0,
      End: last,
    };
    const index = event.ctrlKey || event.metaKey || event.altKey ? undefined : to[event.key];
    if (index === undefined || last < 0) return;
    event.preventDefault();
    this.#select(Math.max(0, Math.min(last, index)));
  }

  #select(index: number): void {
    this.#active = index;
    const top = index * ROW_HEIGHT;
    const list = this.#list;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW_HEIGHT > list.scrollTop + list.clientHeight)
      list.scrollTop = top + ROW_HEIGHT - list.clientHeight;
    this.#drawNow();
    const event = this.#shown[index];
    if (event !== undefined) this.#onSelect(event);
  }

  #draw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      const height = Math.max(1, this.#shown.length) * ROW_HEIGHT;
      this.#rows.style.height = `${height}px`;
      this.#list.style.height = `${Math.min(height, MOST_HEIGHT) + 2}px`;
      if (this.#follows) this.#list.scrollTop = this.#list.scrollHeight;
      this.#drawNow();
    });
  }

  #drawNow(): void {
    const { scrollTop, clientHeight } = this.#list;
    const from = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - SPARE_ROWS);
    const to = Math.min(this.#shown.length, Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT) + SPARE_ROWS);
    fill(
      this.#rows,
      this.#shown.slice(from, to).map((event, offset) => this.#row(event, from + offset)),
    );
    const isActiveHere = this.#active >= from && this.#active < to;
    if (isActiveHere) this.#list.setAttribute("aria-activedescendant", rowId(this.#active));
    else this.#list.removeAttribute("aria-activedescendant");
  }

  #row(event: StoredEvent, index: number): HTMLElement {
    const { seq, type, name = "", time, value } = event;
    const tone = toneOf(type);
    const bar = element("b", { class: `bar tone-${tone}` });
    const { from, to } = this.#clock.span(event);
    bar.style.left = `min(${from * 100}%, 100% - 3px)`;
    bar.style.width = `${(to - from) * 100}%`;
    const row = element(
      "div",
      {
        class: "event",
        role: "option",
        id: rowId(index),
        "data-index": index,
        "aria-selected": index === this.#active ? "true" : "false",
        "aria-setsize": this.#shown.length,
        "aria-posinset": index + 1,
      },
      [
        element("span", { class: "event-seq" }, seq),
        element("span", { class: "event-time" }, `+${duration(time - (this.#events[0]?.time ?? time))}`),
        element("span", { class: `event-type tone-${tone}` }, eventLabel(type)),
        element("span", { class: "event-name" }, name),
        element("span", { class: "event-value" }, preview(value)),
        element("span", { class: "event-bar", "aria-hidden": "true" }, bar),
      ],
    );
    row.style.top = `${index * ROW_HEIGHT}px`;
    return row;
  }
}

const rowId = (index: number): string => `event-${index}`;
