import { Tool } from "../tool-class.js";
import { runOf } from "./context-runs.js";
import type { AgentDefinition } from "./definition.js";

/** Agents that call one another in a ring would go on until all time and money is spent. */
const MOST_DEEP = 8;

/**
 * An agent as a tool of another: it gets one text and gives its answer. Its events are shown as the call's progress;
 * what it spends counts for the run that calls it, and calls of its own that need approval are decided there.
 */
export function agentTool(definition: AgentDefinition): Tool<{ input: string }> {
  const { name, options } = definition;
  return new Tool<{ input: string }>({
    name,
    ...(options.description === undefined ? {} : { description: options.description }),
    parameters: {
      type: "object",
      properties: {
        input: { type: "string", description: "What to do or to answer, with all that is needed to know." },
      },
      required: ["input"],
      additionalProperties: false,
    },
    execute: async ({ input }, context) => {
      const run = runOf(context);
      if (run !== undefined && run.depth >= MOST_DEEP) {
        throw new Error(`agents may call one another at most ${MOST_DEEP} deep; go on without ${name}`);
      }
      const { done } = await definition.start(input, {
        runOptions: context.deps === undefined ? {} : { deps: context.deps },
        signal: context.signal,
        emit: (event) => {
          // Whoever decides looks at the run that he began.
          if (run !== undefined && event.type.startsWith("approval_")) return run.emit(event);
          context.progress(event);
          return undefined;
        },
        approvals: run?.approvals,
        ...(run === undefined ? {} : { outer: { run, callId: context.callId } }),
      });
      run?.addNested(done);
      return done.value;
    },
  });
}
