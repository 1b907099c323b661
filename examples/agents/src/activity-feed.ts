import { agent } from "@callsign/runtime";
import { bind } from "./callsign.gen.ts";
import { type ModelSettings, runExample } from "./run-example.ts";

/**
 * Searches the archive.
 *
 * @tool search_archive
 */
export async function searchArchive(query: string): Promise<string> {
  return `Three letters mention ${query}.`;
}

bind({ searchArchive });

/** Everything that happens, as it happens: words, tool calls, their ends. */
export async function activityFeed(settings: ModelSettings, question: string): Promise<string> {
  const archivist = agent("You know the archive. Search before you answer.", { ...settings, tools: [searchArchive] });
  const lines: string[] = [];
  let text = "";
  const run = archivist.stream(question);
  for await (const event of run) {
    if (event.type === "token") text += event.text;
    if (event.type === "tool_start") lines.push(`… ${event.name} ${JSON.stringify(event.args)}`);
    if (event.type === "tool_done") lines.push(`${event.status === "success" ? "✓" : "✗"} ${event.name}`);
    if (event.type === "done") lines.push(text);
  }
  // The same text once more, or what ended the run.
  await run.result;
  return lines.join("\n");
}

if (import.meta.main) await runExample(activityFeed, "Who wrote about the lighthouse?");
