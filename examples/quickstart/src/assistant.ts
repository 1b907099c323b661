import { agent, type Int, type Max, type Min } from "@callsign/runtime";
import { schemas } from "./callsign.gen.ts";
import { tools } from "./callsign.tools.gen.ts";
import { Inventory } from "./catalog.ts";
import type { Shop } from "./operations.ts";

/**
 * How the day went in the shop.
 *
 * @schema
 */
export interface DayReport {
  summary: string;
  /** What somebody should look at tomorrow. */
  todo: string[];
  /** From 0 (a disaster) to 10. */
  score: Int & Min<0> & Max<10>;
  closedAt: Date;
}

const { Inventory: inventoryOf, ...others } = tools;
const shop: Shop = { name: "Tea & Cups" };

/** Every tool of the project, the instance methods bound to one warehouse. */
export const allTools = [...Object.values(others), ...Object.values(inventoryOf(new Inventory("Bergen")))];

/** The shop's assistant. `model` is `provider/model`; nothing else changes with it. */
export function shopAssistant(model: string) {
  return agent("You run the back office of a tea shop. Use the tools; never guess numbers.", {
    model,
    tools: allTools,
    maxToolCalls: 30,
    deps: shop,
  });
}

/** Gives a DayReport instead of text. */
export function dayReporter(model: string) {
  return agent("Report on the day in the shop.", { model, responseFormat: schemas.DayReport });
}
