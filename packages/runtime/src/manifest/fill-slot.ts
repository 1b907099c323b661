import type { ToolContext } from "../tool-context.js";
import { setOwn } from "../validation/set-own.js";
import type { CallSlot } from "./manifest.js";

/** What one parameter of a function gets. An absent property is undefined, so that the parameter's own default applies. */
export function fillSlot(slot: CallSlot, args: Record<string, unknown>, context: ToolContext): unknown {
  switch (slot.from) {
    case "property":
      return Object.hasOwn(args, slot.name) ? args[slot.name] : undefined;
    case "properties": {
      const part = {};
      for (const name of slot.names) if (Object.hasOwn(args, name)) setOwn(part, name, args[name]);
      return part;
    }
    case "arguments":
      return args;
    case "context":
      return context;
    case "signal":
      return context.signal;
  }
}
