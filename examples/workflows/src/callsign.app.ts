// What the command callsign runs: `npm run refund` here, or see docs/command-line.md.
import { agent, task, type WorkflowContext, workflow } from "@callsign/runtime";
import { bind } from "./callsign.gen.ts";

/**
 * Finds an order.
 *
 * @tool find_order
 */
export function findOrder(orderId: string) {
  return { orderId, customer: "Ann Berg", article: "teapot", paidEur: 240 };
}

bind({ findOrder });

/** Writes to customers. Without MODEL it works offline, on a model that calls every tool and understands nothing. */
export const clerk = agent("You write to customers of a tea shop, in two sentences. Look the order up first.", {
  model: process.env.MODEL ?? "test/auto",
  name: "clerk",
  tools: [findOrder],
});

const pay = task(
  // A person decides on large amounts.
  { name: "pay_refund", retries: 3, requiresApproval: (_orderId: string, amountEur: number) => amountEur > 100 },
  async (orderId: string, amountEur: number) => `${amountEur.toFixed(2)} EUR for ${orderId}`,
);

/** What a customer gets back. */
interface Refund {
  orderId: string;
  amountEur: number;
}

/** Pays money back: a letter, the payment, both once, whatever happens to the process meanwhile. */
export const refund = workflow("refund", async ({ input }: WorkflowContext<Refund>) => {
  const letter = await clerk(`Write that ${input.amountEur} EUR come back for the order ${input.orderId}.`);
  const paid = await pay(input.orderId, input.amountEur);
  return { paid, letter };
});
