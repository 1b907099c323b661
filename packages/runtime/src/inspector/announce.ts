import { byId } from "./element.js";

let hiding: ReturnType<typeof setTimeout> | undefined;

/** Says something to those who listen to the page. */
export function say(text: string): void {
  const status = byId("status");
  // The same words twice are said twice.
  status.textContent = status.textContent === text ? `${text}\u00a0` : text;
}

/** Says something to those who listen to the page, and for a moment to those who see it. */
export function announce(text: string): void {
  say(text);
  const toast = byId("toast");
  toast.textContent = text;
  toast.classList.add("shown");
  clearTimeout(hiding);
  hiding = setTimeout(() => toast.classList.remove("shown"), 3_500);
}
