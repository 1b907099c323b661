import type { Json } from "../manifest/json-schema.js";
import type { Frame } from "./read-frames.js";

export type ItemState = "running" | "waiting" | "done" | "failed";

/** One thing that a run does: a request to a model, a task or call of a tool, or what it says on the way. */
export interface Item {
  readonly kind: "model" | "task" | "note";
  /** Tells it from the others of the run. */
  readonly key: number;
  /** The agent or branch that it belongs to; empty for the workflow itself. */
  group: string;
  title: string;
  state: ItemState;
  /** What the model wrote, of `model`; what was said, of `note`. */
  text: string;
  reasoning: string;
  args?: Json;
  result?: Json;
  error?: string;
  /** Values that a tool showed on the way; the last ones. */
  progress: Json[];
  startedAt?: number;
  endedAt?: number;
  usage?: { readonly inputTokens?: number; readonly outputTokens?: number };
  /** Of the log, once it is there. */
  taskId?: string;
}

const MOST_PROGRESS = 20;
const MOST_NOTES = 200;

/**
 * What a run does, made of its log and of what is only shown. Both tell of the same things: tokens come before the log has
 * the request that they answer, so what comes later completes what is there.
 */
export class Activity {
  readonly items: Item[] = [];
  /** Items that have changed since they were last taken. */
  readonly changed = new Set<Item>();
  readonly #byTask = new Map<string, Item>();
  /** By group and step or call, as what is only shown names them. */
  readonly #live = new Map<string, Item>();
  /** The request of a group that tokens belong to. */
  readonly #speaking = new Map<string, Item>();
  #notes = 0;
  #nextKey = 1;

  apply(frame: Frame): void {
    if (frame.type === "TASK_PROGRESS") this.#progress(frame);
    else if (frame.taskId !== undefined) this.#stored(frame, frame.taskId);
    else if (isEnd(frame.type)) this.#endAll();
  }

  #progress({ value, taskId: group = "" }: Frame): void {
    const shown = isRecord(value) ? value : {};
    const { type, token } = shown;
    if (typeof token === "string") this.#speaker(group).text += token;
    else if (type === "reasoning") this.#speaker(group).reasoning += String(shown.text);
    else if (type === "step_start") {
      const item = this.#find(group, `llm_${Number(shown.step) - 1}`, "model");
      this.#speaking.set(group, item);
    } else if (type === "tool_start") {
      const item = this.#find(group, `#${String(shown.id)}`, "task", String(shown.name));
      item.args = shown.args ?? null;
      if (item.state === "waiting") item.state = "running";
    } else if (type === "tool_progress") {
      const item = this.#find(group, `#${String(shown.id)}`, "task");
      item.progress = [...item.progress, shown.value ?? null].slice(-MOST_PROGRESS);
    } else if (type === "tool_done") {
      const item = this.#find(group, `#${String(shown.id)}`, "task", String(shown.name));
      item.result = shown.result ?? null;
      item.state = shown.status === "error" ? "failed" : "done";
    } else if (type === "retry") this.#note(group, `tries again: ${String(shown.reason)}`);
    else if (type === "handoff") this.#note(group, `hands over from ${String(shown.from)} to ${String(shown.to)}`);
    else if (type === "reasoning_dropped") this.#note(group, `earlier reasoning dropped: ${String(shown.reason)}`);
    else if (!/^(usage|done|error|approval_requested|approval_decided)$/.test(String(type))) {
      this.#note(group, typeof value === "string" ? value : JSON.stringify(value ?? null));
    }
  }

  #stored(frame: Frame, taskId: string): void {
    const { type, name = taskId, value, time } = frame;
    const item = this.#byTask.get(taskId) ?? this.#adopt(taskId, name);
    item.title = name;
    if (time !== undefined) item.startedAt ??= time;
    if (type === "TASK_STARTED") {
      item.startedAt = time ?? Date.now();
      if (item.kind === "task" && value !== undefined) item.args = value;
      if (item.state === "waiting") item.state = "running";
    } else if (type === "TASK_AWAITING_APPROVAL") {
      item.state = "waiting";
      if (isRecord(value) && value.args !== undefined) item.args = value.args;
    } else if (type === "TASK_PAUSED") item.state = "waiting";
    else if (type === "TASK_APPROVED" || type === "TASK_RESUMED") item.state = "running";
    else if (type === "TASK_COMPLETED") this.#complete(item, value);
    else if (type === "TASK_FAILED") {
      item.state = "failed";
      item.error = isRecord(value) ? String(value.message) : "failed";
    } else if (type === "TASK_RETRY_STARTED") {
      this.#note(item.group, `${name} runs again: ${isRecord(value) ? String(value.reason) : ""}`);
    }
    if (type === "TASK_COMPLETED" || type === "TASK_FAILED") {
      if (time !== undefined) item.endedAt = time;
      for (const [key, live] of this.#speaking) if (live === item) this.#speaking.delete(key);
    }
    this.changed.add(item);
  }

  #complete(item: Item, value: Json | undefined): void {
    item.state = "done";
    if (item.kind === "model") {
      const { message, usage } = (isRecord(value) ? value : {}) as Reply;
      const parts = message?.content ?? [];
      const textOf = (type: string): string =>
        parts
          .filter((part) => part.type === type)
          .map((part) => part.text ?? "")
          .join("");
      item.text = textOf("text");
      item.reasoning = textOf("reasoning") || item.reasoning;
      if (usage !== undefined) item.usage = usage;
    } else if (isRecord(value) && "result" in value && (value.status === "success" || value.status === "error")) {
      // A tool's call, as the agent records it.
      item.result = value.result ?? null;
      if (value.status === "error") item.state = "failed";
    } else if (value !== undefined) item.result = value;
  }

  /** What is not over when the run is, was cut off. */
  #endAll(): void {
    for (const item of this.items) {
      if (item.state !== "running" && item.state !== "waiting") continue;
      item.state = item.taskId === undefined && item.kind === "model" && item.text !== "" ? "done" : "failed";
      this.changed.add(item);
    }
  }

  /** The item of a task of the log: the one that was shown before it was stored, or a new one. */
  #adopt(taskId: string, name: string): Item {
    const { group, rest } = partsOf(taskId);
    const key = /^llm_\d+$/.test(name) ? name : rest.slice(rest.indexOf("#"));
    const live = this.#live.get(`${group}|${key}`);
    const isFree = live !== undefined && live.taskId === undefined;
    const item = isFree ? live : this.#add({ kind: /^llm_\d+$/.test(name) ? "model" : "task", group, title: name });
    item.taskId = taskId;
    this.#byTask.set(taskId, item);
    this.#live.set(`${group}|${key}`, item);
    if (item.kind === "model" && !isFree) this.#speaking.set(group, item);
    return item;
  }

  #find(group: string, key: string, kind: Item["kind"], title: string = key): Item {
    const known = this.#live.get(`${group}|${key}`);
    const isOver = known?.state === "done" || known?.state === "failed";
    // An agent that is asked once more begins at its first step again; a call of that id is the same one.
    const item = known === undefined || (isOver && kind === "model") ? this.#add({ kind, group, title }) : known;
    this.#live.set(`${group}|${key}`, item);
    this.changed.add(item);
    return item;
  }

  #speaker(group: string): Item {
    let item = this.#speaking.get(group);
    if (item === undefined) {
      item = this.#add({ kind: "model", group, title: group === "" ? "output" : "llm" });
      this.#speaking.set(group, item);
    }
    this.changed.add(item);
    return item;
  }

  #note(group: string, text: string): void {
    this.#notes += 1;
    if (this.#notes > MOST_NOTES) return;
    const item = this.#add({ kind: "note", group, title: "" });
    item.text = this.#notes === MOST_NOTES ? "more is not shown" : text;
    item.state = "done";
  }

  #add({ kind, group, title }: Pick<Item, "kind" | "group" | "title">): Item {
    const item: Item = {
      kind,
      key: this.#nextKey,
      group,
      title,
      state: "running",
      text: "",
      reasoning: "",
      progress: [],
    };
    this.#nextKey += 1;
    this.items.push(item);
    this.changed.add(item);
    return item;
  }
}

interface Reply {
  readonly message?: { readonly content?: readonly { readonly type: string; readonly text?: string }[] };
  readonly usage?: Item["usage"];
}

/** `parallel.0/agent#1f2e/charge#call_0` is the call `charge#call_0` of the group `parallel.0/agent`. */
function partsOf(taskId: string): { group: string; rest: string } {
  const at = Math.max(taskId.lastIndexOf("/"), taskId.lastIndexOf(">"));
  const group = at < 0 ? "" : taskId.slice(0, at).replace(/#[^/>#]*$/, "");
  return { group, rest: taskId.slice(at + 1) };
}

function isEnd(type: string): boolean {
  return /^WORKFLOW_(COMPLETED|FAILED|CANCELLED)$/.test(type);
}

function isRecord(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
