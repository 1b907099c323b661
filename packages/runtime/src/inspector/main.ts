import { Api } from "./api.js";
import { byId, element, fill, setText } from "./element.js";
import type { Page, PageContext } from "./page.js";
import { runPage } from "./pages/run-page.js";
import { runsPage } from "./pages/runs-page.js";
import { toolPage } from "./pages/tool-page.js";
import { toolsPage } from "./pages/tools-page.js";
import { workflowPage } from "./pages/workflow-page.js";
import { workflowsPage } from "./pages/workflows-page.js";
import { currentPlace, goTo, linkTo } from "./router.js";
import { errorNote } from "./views/error-note.js";
import { askToken } from "./views/token-form.js";

const SECTIONS = ["runs", "workflows", "tools"] as const;

const main = byId("main");
const begun: PageContext["begun"] = new Map();
const api = new Api(async () => {
  const token = await askToken(main);
  // What asked goes on; the page that it belonged to is gone from the screen.
  setTimeout(() => void open());
  return token;
});
let leaving = new AbortController();
let isFirst = true;

const NAMES: { readonly [section: string]: string } = { runs: "Runs", workflows: "Workflows", tools: "Tools" };

function findPage(parts: readonly string[]): Page | undefined {
  const [section, ...rest] = parts;
  if (section === "runs") return rest.length === 0 ? runsPage : rest.length === 1 ? runPage : undefined;
  if (section === "workflows") return rest.length === 0 ? workflowsPage : rest.length === 2 ? workflowPage : undefined;
  if (section === "tools") return rest.length === 0 ? toolsPage : rest.length === 1 ? toolPage : undefined;
  return undefined;
}

/** Opens the page that the address names. */
async function open(): Promise<void> {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const place = currentPlace();
  if (place.parts.length === 0) {
    history.replaceState(null, "", linkTo(["runs"]));
    return open();
  }
  showNavigation(place.parts[0] ?? "");
  const page = findPage(place.parts);
  main.ariaBusy = "true";
  const fail = (error: unknown): void => {
    if (!signal.aborted) showFailure(error);
  };
  try {
    if (page === undefined) throw new Error("there is no such page");
    const title = await page({ api, place, main, signal, begun, fail });
    if (signal.aborted) return;
    if (!document.title.startsWith(title)) document.title = `${title} · callsign`;
    scrollTo(0, 0);
    // Whoever followed a link is at the new page's title; at the very first page nobody has done anything.
    if (!isFirst) document.getElementById("page-title")?.focus();
    isFirst = false;
  } catch (error) {
    if (signal.aborted) return;
    fill(main, [element("h1", { id: "page-title", tabindex: -1 }, "This did not work")]);
    showFailure(error);
    document.getElementById("page-title")?.focus();
  }
  main.ariaBusy = "false";
  showSession();
}

function showFailure(error: unknown): void {
  document.getElementById("failure")?.remove();
  const again = element("button", { type: "button", on: { click: () => void open() } }, "Try again");
  const note = element("div", { id: "failure", class: "panel bad", role: "alert" }, [errorNote(error), again]);
  const title = main.querySelector(".page-head, h1");
  if (title === null) main.prepend(note);
  else title.after(note);
}

function showNavigation(current: string): void {
  const nav = byId("nav");
  if (nav.childElementCount === 0) {
    fill(
      nav,
      SECTIONS.map((section) => element("a", { href: linkTo([section]) }, NAMES[section] ?? section)),
    );
  }
  for (const [index, link] of [...nav.children].entries()) {
    if (SECTIONS[index] === current) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function showSession(): void {
  const session = byId("session");
  if (!api.hasToken) {
    setText(session, "");
    return;
  }
  if (session.childElementCount > 0) return;
  const forget = (): void => {
    api.forgetToken();
    void open();
  };
  fill(session, [element("button", { type: "button", class: "quiet", on: { click: forget } }, "Forget token")]);
}

byId("skip").addEventListener("click", (event) => {
  // The address says which page is open; it is no place to keep a jump.
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => void open());
if (location.hash === "") goTo(linkTo(["runs"]));
else void open();
