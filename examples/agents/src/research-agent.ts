import { agent } from "@callsign/runtime";
import { bind } from "./callsign.gen.ts";
import { type ModelSettings, runExample } from "./run-example.ts";

const PAGES: Readonly<Record<string, string>> = {
  "library/tides": "Tides follow the moon; the highest ones come around new and full moon.",
  "library/harbours": "A harbour's depth is given for the lowest tide.",
};

/**
 * Finds pages about a topic.
 *
 * @returns Addresses for fetch_page.
 * @tool search_web
 */
export function searchWeb(topic: string): string[] {
  return Object.keys(PAGES).filter((address) => address.includes(topic) || topic.length > 0);
}

/**
 * Reads one page.
 *
 * @param address From search_web.
 * @tool fetch_page
 */
export function fetchPage(address: string): string {
  const text = PAGES[address];
  if (text === undefined) throw new Error(`there is no page ${address}`);
  return text;
}

bind({ searchWeb, fetchPage });

/** Reading much takes many calls; at the limit the agent answers from what it has. */
export async function researchAgent(settings: ModelSettings, question: string): Promise<string> {
  const researcher = agent("You research. Read before you answer, and name what you have read.", {
    ...settings,
    tools: [searchWeb, fetchPage],
    maxToolCalls: 25,
  });
  return researcher(question);
}

if (import.meta.main) await runExample(researchAgent, "When is the water in the harbour lowest?");
