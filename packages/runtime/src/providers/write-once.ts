import type { Message } from "../model/messages.js";

/**
 * The same function, which writes each message once for each variant: a loop of tools sends the same messages again with
 * every request, and only the request itself may grow with it. Messages are never changed, and a run has its own.
 *
 * @param variantOf What of the context the wire form of the message depends on. Default: all of it, where it is a text.
 */
export function writeOnce<Context, Wire extends object>(
  write: (message: Message, context: Context) => Wire,
  variantOf: (context: Context, message: Message) => string = String,
): (message: Message, context: Context) => Wire {
  const written = new WeakMap<Message, { readonly variant: string; readonly wire: Wire }>();
  return (message, context) => {
    const variant = variantOf(context, message);
    const known = written.get(message);
    if (known?.variant === variant) return known.wire;
    const wire = write(message, context);
    written.set(message, { variant, wire });
    return wire;
  };
}
