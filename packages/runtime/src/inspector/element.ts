type Listener<Name extends keyof HTMLElementEventMap> = (event: HTMLElementEventMap[Name]) => void;

/** What an element is made with. Nothing is ever read as HTML: texts are texts, and addresses are the page's own. */
export interface Attributes {
  readonly [name: string]: string | number | boolean | undefined | { readonly [event: string]: unknown };
  readonly on?: { readonly [Name in keyof HTMLElementEventMap]?: Listener<Name> };
}

export type Child = Node | string | number | undefined | false;

/** One element with its attributes and what is in it; `undefined` and `false` are left out. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  children: readonly Child[] | Child = [],
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  const { on = {}, ...others } = attributes;
  for (const [name, value] of Object.entries(others)) {
    if (value === undefined || value === false) continue;
    if (name === "href" && !/^#/.test(String(value))) throw new TypeError(`a link leaves the page: ${String(value)}`);
    made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [name, listener] of Object.entries(on)) made.addEventListener(name, listener as EventListener);
  made.append(...nodes(Array.isArray(children) ? children : [children]));
  return made;
}

/** Puts these in the place of what is in an element. */
export function fill(parent: Element, children: readonly Child[]): void {
  parent.replaceChildren(...nodes(children));
}

/** An element of the page itself. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

/** Shows a text that changes, without a change of the page where it has not. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

function nodes(children: readonly Child[]): (Node | string)[] {
  return children.flatMap((child) =>
    child === undefined || child === false ? [] : [typeof child === "number" ? String(child) : child],
  );
}
