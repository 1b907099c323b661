import type { Api, ApiRequest } from "./api.js";
import type { Place } from "./router.js";

/** What a page is made with. */
export interface PageContext {
  readonly api: Api;
  readonly place: Place;
  /** Where its parts go. */
  readonly main: HTMLElement;
  /** Aborted when another page takes its place. */
  readonly signal: AbortSignal;
  /** Streams that were begun with a run, by its id, for the page that shows the run. */
  readonly begun: Map<string, Response>;
  /** Shows an error where nothing else can. */
  fail(error: unknown): void;
}

/** @returns The title. */
export type Page = (context: PageContext) => Promise<string>;

/** A request that may be shown as a command. */
export type Ask = () => ApiRequest;
