import type { Message } from "../model/messages.js";

/**
 * The same function, which writes each message once for each variant: a loop of tools sends the same messages again with
 * every request, and only the request itself may grow with it. Messages are never changed, and a run has its own.
 */
export function writeOnce<Wire extends object>(
  write: (message: Message, variant: string) => Wire,
): (message: Message, variant: string) => Wire {
  const written = new WeakMap<Message, { readonly variant: string; readonly wire: Wire }>();
  return (message, variant) => {
    const known = written.get(message);
    if (known?.variant === variant) return known.wire;
    const wire = write(message, variant);
    written.set(message, { variant, wire });
    return wire;
  };
}
