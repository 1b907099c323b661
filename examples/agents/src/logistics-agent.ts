import { agent, MemorySessionStore, Runner } from "@callsign/runtime";
import { bind } from "./callsign.gen.ts";
import { type ModelSettings, runExample } from "./run-example.ts";

/**
 * Estimates shipping by weight and country.
 *
 * @param weightKg In kilograms.
 * @param destination Two letters of a country.
 * @tool calculate_shipping
 */
export function calculateShipping(weightKg: number, destination: string) {
  const ratePerKg = ["US", "CA"].includes(destination.toUpperCase()) ? 8.5 : 14;
  const costUsd = Math.round(weightKg * ratePerKg * 100) / 100;
  return { destination: destination.toUpperCase(), costUsd, deliveryDays: 3 };
}

/**
 * Checks whether an article is in stock.
 *
 * @tool check_inventory
 */
export function checkInventory(sku: string) {
  return { sku, inStock: true, warehouse: "east-region-1" };
}

bind({ calculateShipping, checkInventory });

/** One conversation over several messages: the store keeps it, one turn at a time. */
export async function logisticsAgent(settings: ModelSettings, message: string): Promise<string> {
  const coordinator = agent("You help customers with stock and shipping.", {
    ...settings,
    name: "coordinator",
    tools: [calculateShipping, checkInventory],
  });
  const runner = new Runner({ agent: coordinator, sessionStore: new MemorySessionStore() });
  const first = await runner.run({ sessionId: "customer-42", message });
  const second = await runner.run({ sessionId: "customer-42", message: "And what was that in one sentence?" });
  return `${first.content}\n${second.content}\n(${first.toolCallsExecuted + second.toolCallsExecuted} tool calls)`;
}

if (import.meta.main) await runExample(logisticsAgent, "Is SKU-990 in stock, and what does 2.5 kg to CA cost?");
