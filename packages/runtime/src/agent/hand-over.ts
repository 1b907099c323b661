import { thrownMessage } from "../calls/thrown-message.js";
import { prepareAgent } from "./prepare-agent.js";
import type { Run } from "./run.js";

/**
 * Gives the conversation to whom the model handed it over.
 *
 * @returns Whether people have it now, so that the run is over.
 */
export async function handOver(run: Run): Promise<boolean> {
  const handoff = run.takeHandoff();
  if (handoff === undefined) return false;
  const { target, reason } = handoff;
  const from = run.agent.definition.name;
  if (target.kind === "agent") {
    run.emit({ type: "handoff", from, to: target.name });
    run.switchTo(await prepareAgent(target.definition, { format: run.format, modelIndex: 0 }));
    return false;
  }
  try {
    await target.queue.enqueue({ sessionId: run.sessionId, reason, messages: [...run.messages] });
  } catch (error) {
    run.addUser(`${target.name} could not take the conversation: ${thrownMessage(error)}`);
    return false;
  }
  run.emit({ type: "handoff", from, to: target.name });
  run.giveToPeople(target.name);
  return true;
}
