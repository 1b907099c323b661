export type { AppOptions } from "./app.js";
export { createHandler, type HandlerOptions } from "./fetch-handler.js";
export { createListener, type Listener, type ListenerOptions } from "./node-listener.js";
export { type RunningServer, type ServeOptions, serve } from "./serve.js";
