import type { Browser, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";

export interface WatchedPage extends Page {
  /** What the page complained of: errors, refusals of its policy, what was written to the console as an error. */
  readonly complaints: string[];
}

/** A page that the test fails for, if anything in it goes wrong unseen. */
export async function openPage(
  browser: Browser,
  options: Parameters<Browser["newContext"]>[0] & { readonly expected?: RegExp } = {},
): Promise<WatchedPage> {
  const { expected, ...rest } = options;
  const context = await browser.newContext(rest);
  const complaints: string[] = [];
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
      console.error(`policy: ${violatedDirective} ${blockedURI}`);
    });
  });
  const page = Object.assign(await context.newPage(), { complaints });
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  onTestFinished(async () => {
    await context.close();
    expect(complaints.filter((text) => expected?.test(text) !== true)).toEqual([]);
  });
  return page;
}
