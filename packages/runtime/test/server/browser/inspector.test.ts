import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  agent,
  type Engine,
  type Manifest,
  now,
  pause,
  progress,
  Tool,
  task,
  type Workflow,
  type WorkflowContext,
  workflow,
} from "../../../src/index.js";
import { type ServeOptions, serve } from "../../../src/server/index.js";
import { makeFolder, openTestEngine } from "../../durable/open-test-engine.js";
import { objectSchema, toolEntry } from "../../manifest-fixture.js";
import { openBrowser } from "./open-browser.js";
import { openPage } from "./open-page.js";
import { steppedModel } from "./stepped-model.js";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const charge = new Tool({
  name: "charge",
  description: "Charges an amount.",
  requiresApproval: true,
  parameters: objectSchema({ amount: { type: "number" } }),
  execute: ({ amount }: { amount: number }) => ({ charged: amount }),
});
const echo = workflow("echo", async (ctx: WorkflowContext<unknown>) => ctx.input ?? null);
const waiting = workflow("waiting", () => pause("word", { output: "say it" }));

interface Setting extends Partial<Omit<ServeOptions, "engine">> {
  readonly workflows?: readonly Workflow<never, unknown>[];
}

async function start({ workflows = [echo, waiting], ...rest }: Setting = {}): Promise<{ engine: Engine; url: string }> {
  const engine = await openTestEngine(join(await makeFolder(), "runs.db"), {
    workflows,
    ...(rest.manifest === undefined ? {} : { manifest: rest.manifest }),
  });
  const server = await serve({ engine, port: 0, ...rest });
  onTestFinished(() => server.close());
  return { engine, url: server.url };
}

let loads = 0;

/** Loads the page anew at a place, and waits until all of it is there. */
async function openAt(page: Page, url: string, place: string): Promise<void> {
  loads += 1;
  await page.goto(`${url}/?${loads}#/${place}`);
  await page.locator("main[aria-busy=false]").waitFor();
  // What is drawn with the next frame.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

const title = (page: Page): Promise<string | null> => page.locator("#page-title").textContent();

/** Goes on by Tab until the focus is on what has this name, as a person without a mouse does. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let count = 0; count < 60; count += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const at = document.activeElement as HTMLInputElement | null;
      const label = at?.labels?.[0]?.textContent ?? "";
      return `${at?.getAttribute("aria-label") ?? ""} ${label} ${at?.textContent ?? ""}`;
    });
    if (focused.includes(name)) return;
  }
  throw new Error(`no Tab leads to ${name}`);
}

describe("the inspector", () => {
  test("shows a run from its start to its end, by keyboard alone: tokens as they come, an approval, the whole log", async () => {
    const rest = Promise.withResolvers<void>();
    const model = steppedModel([
      [
        { reasoning: "It is owed." },
        { text: "I" },
        { until: rest.promise },
        { text: " charge it." },
        { call: "charge", args: { amount: 5 } },
      ],
      [{ text: "Charged." }],
    ]);
    const billing = workflow("billing", async (ctx: WorkflowContext<{ question: string }>) =>
      agent("You bill.", { name: "biller", model, tools: [charge] })(ctx.input.question),
    );
    const manifest: Manifest = {
      manifestVersion: 1,
      tools: [],
      schemas: [],
      workflows: [{ name: "billing", module: "x.ts", input: objectSchema({ question: { type: "string" } }) }],
    };
    const { engine, url } = await start({ workflows: [billing], manifest });
    const page = await openPage(browser);
    await page.goto(url);
    await tabTo(page, "Workflows");
    await page.keyboard.press("Enter");
    // Until the new page is there the old one is, and it too has a field that says "billing".
    await page.getByRole("heading", { name: "Workflows" }).waitFor();
    await tabTo(page, "billing");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Start a run" }).waitFor();
    await tabTo(page, "question");
    await page.keyboard.type("What do I owe?");
    await tabTo(page, "Start");
    await page.keyboard.press("Enter");

    // The second token comes only after the first one was seen.
    const said = page.locator(".card-model .card-text").first();
    await expect.poll(() => said.textContent()).toBe("I");
    expect(await page.locator(".card-reasoning").first().textContent()).toBe("It is owed.");
    rest.resolve();
    await expect.poll(() => said.textContent()).toBe("I charge it.");

    await page.getByRole("group", { name: "Decide on charge" }).waitFor();
    await expect.poll(() => page.locator(".pill").textContent()).toBe("paused");
    expect(await page.locator("#status").textContent()).toBe("The run waits for you: charge");
    await tabTo(page, "By");
    await page.keyboard.type("ann");
    await tabTo(page, "Approve charge");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".pill").textContent()).toBe("completed");
    expect(await page.locator(".text-value").textContent()).toBe("Charged.");
    expect(await page.locator(".waits").isVisible()).toBe(false);
    expect(await page.locator(".card-task .card-values").textContent()).toContain('{"charged":5}');

    const [run] = (await engine.list()).runs;
    const log = await engine.log(run?.id as string);
    expect(log.find(({ type }) => type === "TASK_APPROVED")?.value).toEqual({ by: "ann" });
    await tabTo(page, "Events");
    await page.keyboard.press("Home");
    const seen: string[] = [];
    for (const _ of log) {
      const id = await page.getByRole("listbox").getAttribute("aria-activedescendant");
      const row = page.locator(`#${id}`);
      seen.push(
        `${await row.locator(".event-seq").textContent()} ${await page.locator(".facts dd").first().textContent()}`,
      );
      await page.keyboard.press("ArrowDown");
    }
    expect(seen).toEqual(log.map(({ seq, type }) => `${seq} ${type}`));
  });

  test("starts a workflow by a form or by JSON, and shows each place that does not fit", async () => {
    const input = objectSchema(
      {
        amount: { type: "integer", minimum: 1 },
        speed: { enum: ["slow", "fast"] },
        tags: { type: "array", items: { type: "string" } },
      },
      ["amount"],
    );
    const manifest: Manifest = {
      manifestVersion: 1,
      tools: [],
      schemas: [],
      workflows: [{ name: "echo", module: "x.ts", input }],
    };
    const { engine, url } = await start({ workflows: [echo], manifest });
    const page = await openPage(browser, { expected: /400 \(Bad Request\)/ });
    await page.goto(`${url}/#/workflows/default/echo`);
    await page.getByLabel("amount").fill("0");
    await page.getByLabel("speed").selectOption("fast");
    await page.getByLabel("tags").fill("[1");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await expect.poll(() => page.locator("#input-2-problem").textContent()).toContain("is no JSON");
    await page.getByLabel("tags").fill("[1]");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await expect.poll(() => page.locator("#input-0-problem").textContent()).toContain("must be >= 1; got 0");
    expect(await page.locator("#input-2-problem").textContent()).toContain("tags[0]");
    expect(await page.getByLabel("amount").getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByLabel("amount").evaluate((field) => field === document.activeElement)).toBe(true);
    await page.getByLabel("amount").fill("3");
    await page.getByLabel("tags").fill("");
    await page.getByText("JSON", { exact: true }).first().click();
    expect(JSON.parse(await page.getByLabel("Input, as JSON").inputValue())).toEqual({ amount: 3, speed: "fast" });
    await page.getByLabel("Input, as JSON").fill('{"amount": 4, "tags": ["a"]}');
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await expect.poll(() => page.locator(".pill").textContent()).toBe("completed");
    expect((await engine.list()).runs[0]?.input).toEqual({ amount: 4, tags: ["a"] });
  });

  test("lists runs by state and workflow, page by page, and keeps the list current", async () => {
    const { engine, url } = await start();
    for (let index = 0; index < 60; index += 1) await engine.run(echo, index);
    await engine.submit(waiting as Workflow<void>, undefined, { runId: "waits" });
    const page = await openPage(browser);
    await page.goto(url);
    await expect.poll(() => page.locator("tbody tr").count()).toBe(50);
    await page.getByRole("link", { name: "Older" }).click();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(11);
    await page.getByRole("link", { name: "Newest" }).click();
    await page.getByLabel("State").selectOption("paused");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await engine.resume("waits", { value: 1 });
    await page.getByText("No run is like that.").waitFor();
    await page.getByRole("link", { name: "Show all runs" }).click();
    await page.getByLabel("Workflow").selectOption({ label: "waiting" });
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    expect(await page.locator(".pill").textContent()).toBe("completed");
  });

  test("resumes with a value, rejects with a reason, cancels and deletes", async () => {
    const pay = task({ requiresApproval: true }, async function pay(amount: number) {
      return amount;
    });
    const paying = workflow("paying", async (ctx: WorkflowContext<number>) => pay(ctx.input));
    const { engine, url } = await start({ workflows: [waiting, paying] });
    for (const runId of ["resumed", "cancelled"]) await engine.submit(waiting as Workflow<void>, undefined, { runId });
    await engine.submit(paying, 5, { runId: "rejected" });
    const page = await openPage(browser);

    await page.goto(`${url}/#/runs/resumed`);
    await page.getByLabel("Value, as JSON").fill('{"w":');
    await page.getByRole("button", { name: "Resume word", exact: true }).click();
    await page.getByText("the value is no JSON").waitFor();
    await page.getByLabel("Value, as JSON").fill('{"w": 1}');
    await page.getByRole("button", { name: "Resume word", exact: true }).click();
    expect(await engine.result("resumed")).toEqual({ w: 1 });
    await expect.poll(() => page.locator(".pill").textContent()).toBe("completed");

    await page.goto(`${url}/#/runs/rejected`);
    await page.getByLabel("Reason").fill("too much");
    await page.getByRole("button", { name: "Reject pay", exact: true }).click();
    await expect.poll(() => page.locator(".pill").textContent()).toBe("failed");
    expect(await page.getByLabel("Error").textContent()).toContain("pay was rejected by a person: too much");

    await page.goto(`${url}/#/runs/cancelled`);
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.waitForURL(/#\/runs$/);
    await expect.poll(() => page.locator("tbody tr").count()).toBe(2);
  });

  test("shows each tool's schema, and what each provider gets of it", async () => {
    const search = toolEntry({
      name: "search",
      requiresApproval: true,
      parameters: objectSchema({ words: { type: "string", minLength: 2 }, limit: { type: "integer", default: 10 } }, [
        "words",
      ]),
    });
    const { url } = await start({ manifest: { manifestVersion: 1, tools: [search], schemas: [], workflows: [] } });
    const page = await openPage(browser);
    await page.goto(`${url}/#/tools`);
    await page.getByRole("link", { name: "search" }).click();
    await page.getByRole("heading", { name: "On the wire" }).waitFor();
    expect(await page.getByLabel("Neutral schema of the arguments").textContent()).toContain('"minLength": 2');
    const targets = await page.getByRole("navigation", { name: "Targets" }).getByRole("link").allTextContents();
    expect(targets).toContain("gemini");
    for (const target of targets) {
      await page.getByRole("link", { name: target, exact: true }).click();
      const lowered = (await (await fetch(`${url}/tools/search?target=${target}`)).json()) as { wire: object };
      const shown = page.getByLabel(`Wire form for ${target}`, { exact: true });
      await expect.poll(() => shown.textContent()).toBe(JSON.stringify(lowered.wire, null, 2));
    }
    await page.getByRole("link", { name: "openai-strict", exact: true }).click();
    await expect
      .poll(() => page.locator(".dropped tbody tr").allTextContents())
      .toEqual(expect.arrayContaining(["/properties/wordsminLength2"]));
  });

  test("copies what a button does as a command, without the token", async () => {
    const { engine, url } = await start({ token: "s3cret" });
    await engine.submit(waiting as Workflow<void>, undefined, { runId: "it's" });
    const page = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"], expected: /401/ });
    await page.goto(`${url}/#/runs/${encodeURIComponent("it's")}`);
    await page.getByLabel("Token").fill("s3cret");
    await page.keyboard.press("Enter");
    await page.getByLabel("Value, as JSON").fill('"it\'s"');
    await page.getByRole("button", { name: "Copy as curl: resume word" }).click();
    await expect.poll(() => page.locator("#status").textContent()).toBe("Copied the command");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      [
        `curl -X POST '${url}/runs/it'\\''s/resume'`,
        '-H "authorization: Bearer $CALLSIGN_TOKEN"',
        "-H 'content-type: application/json'",
        `--data-raw '{"name":"word","value":"it'\\''s"}'`,
      ].join(" \\\n  "),
    );
  });

  test("asks for the token, keeps it in memory, and in the tab only where that is wished", async () => {
    const { engine, url } = await start({ token: "s3cret" });
    await engine.run(echo, 1);
    const page = await openPage(browser, { expected: /401/ });
    await page.goto(url);
    await page.getByLabel("Token").fill("wrong");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByLabel("Token").inputValue()).toBe("");
    await page.getByLabel("Token").fill("s3cret");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    const kept = () =>
      page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie]));
    expect(await kept()).not.toContain("s3cret");
    await page.reload();
    await page.getByLabel("Token").fill("s3cret");
    await page.getByLabel("keep it until this tab is closed").check();
    await page.getByRole("button", { name: "Go on" }).click();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.reload();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
    await page.getByRole("button", { name: "Forget token" }).click();
    await page.getByLabel("Token").waitFor();
    expect(await kept()).not.toContain("s3cret");
  });

  test("shows what is hostile as text, wherever it comes from", async () => {
    const evil = `<img src=x onerror="globalThis.hacked=1"></script><script>globalThis.hacked=1</script>"'\`{{1}}\u202e&amp;`;
    const shout = task(async function shout(text: string) {
      progress({ type: "token", text });
      progress({ [text]: text });
      return { [text]: text };
    });
    const hostile = workflow({ name: "hostile", description: evil }, async (ctx: WorkflowContext<string>) => {
      await shout(ctx.input);
      const model = steppedModel([
        [{ text: evil }, { reasoning: evil }, { call: evil, args: { [evil]: evil } }],
        [{ text: evil }],
      ]);
      await agent("x", { model, tools: [charge] })(evil);
      await pause(evil, { output: evil });
      throw Object.assign(new Error(evil), { code: evil });
    });
    const manifest: Manifest = {
      manifestVersion: 1,
      tools: [
        toolEntry({
          name: evil,
          description: evil,
          summary: evil,
          parameters: objectSchema({ [evil]: { type: "string", pattern: evil, description: evil } }),
        }),
      ],
      schemas: [],
      workflows: [],
    };
    const { engine, url } = await start({ workflows: [hostile] });
    const tools = await serve({ engine, port: 0, manifest });
    onTestFinished(() => tools.close());
    await engine.submit(hostile, evil, { runId: evil });
    const page = await openPage(browser, { expected: /404/ });
    const isInert = async (): Promise<void> => {
      expect(await page.evaluate(() => (globalThis as { hacked?: number }).hacked)).toBeUndefined();
      const strangers = await page
        .locator("script:not([src='inspector/app.js']), img:not([src='inspector/icon.svg']), iframe, svg")
        .count();
      expect(strangers).toBe(0);
    };
    await page.goto(url);
    await page.locator("tbody tr").waitFor();
    expect(await page.locator("tbody tr").textContent()).toContain(evil);
    await isInert();
    await page.locator("tbody a").click();
    await page.getByRole("button", { name: `Resume ${evil}`, exact: true }).waitFor();
    await expect.poll(() => page.locator(".activity").textContent()).toContain(evil);
    await page.getByRole("listbox").focus();
    for (const event of await engine.log(evil)) {
      await isInert();
      if (event.value === evil)
        expect(await page.locator(".detail .code").textContent()).toContain(JSON.stringify(evil));
      await page.keyboard.press("ArrowDown");
    }
    await page.getByRole("button", { name: `Resume ${evil}`, exact: true }).click();
    await page.getByLabel("Error", { exact: true }).waitFor();
    expect(await page.getByLabel("Error", { exact: true }).textContent()).toContain(evil);
    await isInert();
    for (const place of ["workflows", "workflows/default/hostile", `runs/${encodeURIComponent(`${evil}2`)}`]) {
      await openAt(page, url, place);
      expect(await page.locator("main").textContent()).toContain("<script>globalThis.hacked=1</script>");
      await isInert();
    }
    await page.goto(`${tools.url}/#/tools`);
    await page.getByRole("link", { name: evil }).click();
    await page.getByRole("heading", { name: "On the wire" }).waitFor();
    await isInert();
  });

  test("keeps every text readable, in light and in dark", async () => {
    const pay = task({ requiresApproval: true }, async function pay(amount: number) {
      return amount;
    });
    const mixed = workflow({ name: "mixed", description: "Pays." }, async () => {
      await agent("x", { model: steppedModel([[{ reasoning: "why" }, { text: "so" }]]) })("go");
      await pay(5);
      throw new Error("no money");
    });
    const manifest: Manifest = { manifestVersion: 1, tools: [toolEntry({ once: true })], schemas: [], workflows: [] };
    const { engine, url } = await start({ workflows: [mixed, echo], manifest });
    await engine.submit(mixed as Workflow<void>, undefined, { runId: "paused" });
    await engine.submit(mixed as Workflow<void>, undefined, { runId: "failed" });
    await engine.run(echo, { a: "b", c: [1, true] }, { runId: "done" });
    await expect.poll(async () => (await engine.get("failed")).state).toBe("PAUSED");
    await engine.approve("failed");
    await engine.result("failed").catch(() => {});
    await expect.poll(async () => (await engine.get("paused")).state).toBe("PAUSED");
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await openPage(browser, { colorScheme });
      const grounds = new Set<string>();
      for (const place of [
        "runs",
        "runs/paused",
        "runs/failed",
        "runs/done",
        "workflows",
        "workflows/default/echo",
        "tools",
        "tools/add",
      ]) {
        await openAt(page, url, place);
        grounds.add(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor));
        expect(await page.evaluate(hardToRead), `${place} in ${colorScheme}`).toEqual([]);
        expect(await page.evaluate(withoutName), place).toEqual([]);
      }
      expect([...grounds]).toEqual([colorScheme === "light" ? "rgb(247, 247, 245)" : "rgb(16, 18, 20)"]);
      await page.context().close();
    }
  });

  test("stays quick with ten thousand events: only what is in sight is in the page", async () => {
    const long = workflow("long", async () => {
      for (let index = 0; index < 10_000; index += 1) await now();
      return "over";
    });
    const { engine, url } = await start({ workflows: [long] });
    await engine.run(long as Workflow<void>, undefined, { runId: "long" });
    const page = await openPage(browser);
    await page.goto(`${url}/#/runs/long`);
    await page.getByText("10,002 events").waitFor();
    expect(await page.locator("*").count()).toBeLessThan(3_000);
    await page.getByRole("listbox").focus();
    await page.keyboard.press("End");
    await expect.poll(() => page.locator(".facts dd").first().textContent()).toBe("WORKFLOW_COMPLETED");
    expect(await page.getByRole("option").count()).toBeLessThan(60);
    const last = page.getByRole("option", { selected: true });
    expect(await last.getAttribute("aria-posinset")).toBe("10002");
    await page.getByLabel("Filter events").fill("run");
    await page.getByText("2 of 10,002 events").waitFor();
    expect(await page.getByRole("option").allTextContents()).toHaveLength(2);
  });

  test("works wherever it is mounted", async () => {
    const { createServer } = await import("node:http");
    const { createListener } = await import("../../../src/server/index.js");
    const engine = await openTestEngine(join(await makeFolder(), "runs.db"), { workflows: [echo] });
    await engine.run(echo, 1, { runId: "one" });
    const server = createServer(createListener({ engine, basePath: "/tools/callsign" }));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const page = await openPage(browser);
    await page.goto(`http://127.0.0.1:${(server.address() as { port: number }).port}/tools/callsign`);
    await page.getByRole("link", { name: "one" }).click();
    await expect.poll(() => title(page)).toBe("echo");
    await expect.poll(() => page.locator(".pill").textContent()).toBe("completed");
  });
});

/** Texts whose contrast with what is behind them is below 4.5. Runs in the page. */
function hardToRead(): string[] {
  const channels = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = ([red = 0, green = 0, blue = 0]: number[]): number => {
    const [r = 0, g = 0, b = 0] = [red, green, blue].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (node: Element | null): number[] => {
    for (let at = node; at !== null; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if ((colour[3] ?? 1) > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: parent, textContent } = walker.currentNode;
    if (parent === null || (textContent ?? "").trim() === "" || !parent.checkVisibility({ opacityProperty: true }))
      continue;
    if (parent.closest(".visually-hidden, .toast, option") !== null) continue;
    const [a, b] = [luminance(channels(getComputedStyle(parent).color)), luminance(groundOf(parent))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`${textContent} ${contrast.toFixed(2)}`);
  }
  return found;
}

/** What can be used and has no name to be called by. Runs in the page. */
function withoutName(): string[] {
  return [...document.querySelectorAll<HTMLInputElement>("a, button, input, select, textarea, [tabindex='0']")]
    .filter((each) => each.checkVisibility())
    .filter((each) => {
      const label = each.getAttribute("aria-label") ?? each.labels?.[0]?.textContent ?? each.textContent ?? "";
      return label.trim() === "";
    })
    .map((each) => each.outerHTML);
}
