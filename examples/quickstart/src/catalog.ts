/** A category with everything below it. */
export interface Category {
  name: string;
  children: Category[];
}

/**
 * Counts the categories of a tree.
 *
 * @tool
 */
export const countCategories = (root: Category): number =>
  1 + root.children.reduce((sum, child) => sum + countCategories(child), 0);

/** What is in stock, and what is set aside for customers. */
export class Inventory {
  static readonly #stock = new Map([
    ["TEA-0042", 12],
    ["CUP-0007", 3],
  ]);
  readonly #warehouse: string;

  constructor(warehouse: string) {
    this.#warehouse = warehouse;
  }

  /**
   * How many pieces of each article are in stock.
   *
   * @tool
   * @param skus The articles asked for.
   */
  static countStock(skus: Set<string>): Map<string, number> {
    return new Map([...skus].map((sku) => [sku, Inventory.#stock.get(sku) ?? 0]));
  }

  /**
   * Sets pieces of an article aside in this warehouse.
   *
   * @tool reserve_stock
   */
  async reserve(sku: string, quantity: number, until: Date | null = null): Promise<string> {
    const end = until === null ? "for good" : `until ${until.toISOString()}`;
    return `${quantity} × ${sku} set aside in ${this.#warehouse} ${end}`;
  }
}
