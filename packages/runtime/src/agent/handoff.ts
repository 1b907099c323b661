import type { Json } from "../manifest/json-schema.js";
import type { Message } from "../model/messages.js";
import { Tool } from "../tool-class.js";
import type { AgentDefinition } from "./definition.js";

/**
 * People to whom an agent may hand a conversation over. The run then ends with `stop: "handoff"`.
 *
 * @example
 * import { agent, type HumanQueue } from "@callsign/runtime"
 *
 * const support: HumanQueue = {
 *   name: "support",
 *   description: "People who can refund and apologise.",
 *   enqueue: ({ sessionId, reason }) => console.log(`session ${sessionId} waits for a person: ${reason}`),
 * }
 * const assistant = agent("Help customers.", { model: "openai/gpt-6-luna", handoffs: [support] })
 */
export interface HumanQueue {
  /** `^[a-zA-Z_][a-zA-Z0-9_-]*$`, at most 50 characters. */
  readonly name: string;
  readonly description?: string;
  /** Takes the conversation. What it throws becomes the error result of the handoff, and the agent goes on. */
  enqueue(conversation: HandedOver): void | Promise<void>;
}

export interface HandedOver {
  readonly sessionId: string | undefined;
  /** The model's reason, where it gave one. */
  readonly reason: string | undefined;
  /** The whole conversation, the call that hands it over last. */
  readonly messages: readonly Message[];
}

/** To whom a conversation may go. */
export type HandoffTarget =
  | { readonly kind: "agent"; readonly name: string; readonly definition: AgentDefinition }
  | { readonly kind: "queue"; readonly name: string; readonly queue: HumanQueue };

export const handoffToolName = (name: string): string => `transfer_to_${name}`;

/** The tool by which the model hands over. The loop itself carries it out. */
export function handoffTool(name: string, description: string | undefined): Tool {
  const said = description === undefined ? "" : ` ${description}`;
  return new Tool({
    name: handoffToolName(name),
    description: `Hands the conversation over to ${name}.${said}`,
    parameters: {
      type: "object",
      properties: { reason: { type: "string", description: "Why the conversation is handed over." } },
      additionalProperties: false,
    },
    execute: () => {
      throw new Error(`${handoffToolName(name)} hands over a conversation and cannot be called outside a run`);
    },
  });
}

export function handoffReason(args: Json): string | undefined {
  const { reason } = args as { readonly reason?: Json };
  return typeof reason === "string" && reason !== "" ? reason : undefined;
}
