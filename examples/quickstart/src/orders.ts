import { type Format, type Int, type Max, type Min, type Pattern, tool } from "@callsign/runtime";

export type OrderStatus = "open" | "packed" | "shipped" | "returned";

export interface OrderLine {
  /**
   * Article number.
   *
   * @example "TEA-0042"
   */
  sku: string & Pattern<"^[A-Z]{3}-\\d{4}$">;
  quantity: Int & Min<1> & Max<99>;
}

interface Order {
  id: string;
  customer: string;
  status: OrderStatus;
  placedAt: Date;
  lines: OrderLine[];
}

const orders: Order[] = [
  {
    id: "A-1001",
    customer: "ada@example.com",
    status: "shipped",
    placedAt: new Date("2026-03-02T08:15:00Z"),
    lines: [{ sku: "TEA-0042", quantity: 2 }],
  },
];

/**
 * Finds orders of a customer, the newest first.
 *
 * @tool
 * @param customer The customer's mail address.
 * @param status Only orders in this state.
 * @param since Only orders placed at this moment or later.
 * @param limit The most orders to give back.
 */
export function findOrders(
  customer: string & Format<"email">,
  status?: OrderStatus,
  since?: Date,
  limit: Int & Min<1> & Max<100> = 20,
): Order[] {
  return orders
    .filter((order) => order.customer === customer && (status === undefined || order.status === status))
    .filter((order) => since === undefined || order.placedAt.getTime() >= since.getTime())
    .slice(0, limit);
}

/**
 * Places an order and gives back its number.
 *
 * @tool
 */
export function placeOrder({
  customer,
  lines,
  giftWrap = false,
  note = "",
}: {
  customer: string & Format<"email">;
  /** What is ordered; at least one line. */
  lines: [OrderLine, ...OrderLine[]];
  giftWrap?: boolean;
  /** For the people who pack. */
  note?: string;
}): string {
  const id = `A-${1001 + orders.length}`;
  orders.push({ id, customer, status: "open", placedAt: new Date(), lines });
  return `${id} (articles: ${lines.length}${giftWrap ? ", gift wrapped" : ""}${note === "" ? "" : `, note: ${note}`})`;
}

export interface Refund {
  /** @example "A-1001" */
  orderId: string;
  /** In cents. */
  amount: bigint;
  /** Where the money goes. */
  to:
    | { method: "card"; last4: string & Pattern<"^\\d{4}$"> }
    | { method: "bank"; iban: string }
    | { method: "voucher" };
}

/**
 * Refunds an order, in part or whole.
 *
 * @tool
 */
export function refundOrder(refund: Refund): { orderId: string; refunded: bigint; by: string } {
  const { orderId, amount, to } = refund;
  return { orderId, refunded: amount, by: to.method === "card" ? `card ending in ${to.last4}` : to.method };
}

/** The price of a parcel by weight and country. */
export const quoteShipping = tool(
  { name: "quote_shipping" },
  async (
    weightKg: number & Min<0.1> & Max<30>,
    country: "NO" | "SE" | "DK",
  ): Promise<{ cents: number; days: number }> => ({
    cents: Math.round(weightKg * (country === "NO" ? 450 : 690)),
    days: country === "NO" ? 2 : 4,
  }),
);
