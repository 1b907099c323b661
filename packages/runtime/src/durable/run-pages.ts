import type { RunQuery, RunRecord, RunStore } from "./run-store.js";

/** The runs of a list, page by page; a page is asked for when the one before is done with. */
export async function* runPages(
  source: Pick<RunStore, "list">,
  query: Omit<RunQuery, "cursor">,
): AsyncGenerator<readonly RunRecord[], void> {
  let cursor: string | undefined;
  do {
    const page = await source.list({ limit: 1_000, ...query, ...(cursor === undefined ? {} : { cursor }) });
    yield page.runs;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
