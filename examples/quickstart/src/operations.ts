import type { ToolContext } from "@callsign/runtime";
import type { ContextBlock, DividerBlock, HeaderBlock } from "@slack/types";

/** What the application gives to its tools. */
export interface Shop {
  readonly name: string;
}

export const tickets = {
  /**
   * Opens a ticket for the support team.
   *
   * @tool open_ticket
   */
  open(title: string, priority: "low" | "normal" | "urgent" = "normal"): { ticket: number; priority: string } {
    return { ticket: 4000 + title.length, priority };
  },
};

/**
 * Follows a parcel by the carrier's tracking address.
 *
 * @tool
 */
export async function trackParcel(
  tracking: URL,
  context: ToolContext<Shop>,
): Promise<{ carrier: string; askedBy: string; arrives: Date }> {
  context.progress(`asking ${tracking.host}`);
  return { carrier: tracking.host, askedBy: context.deps.name, arrives: new Date("2026-03-05T12:00:00Z") };
}

/**
 * Asks whether a warehouse answers.
 *
 * @tool
 */
export async function pingWarehouse(city: string, signal: AbortSignal): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return city !== "" && !signal.aborted;
}

/**
 * Writes out the sales of some days, day by day.
 *
 * @tool
 */
export async function* exportSales(from: Date, days: 1 | 7 | 30 = 7): AsyncGenerator<{ day: string; cents: number }> {
  for (let index = 0; index < days; index += 1) {
    const day = new Date(from.getTime() + index * 86_400_000).toISOString().slice(0, 10);
    yield { day, cents: 120_000 + index * 1500 };
  }
}

/**
 * Posts an update to the team's chat, in Slack's own blocks.
 *
 * @tool
 */
export function notifyTeam(message: {
  channel: string;
  blocks: (HeaderBlock | ContextBlock | DividerBlock)[];
}): string {
  return `posted to #${message.channel}: ${message.blocks.map(({ type }) => type).join(", ")}`;
}
