export { type FakeProvider, startFakeProvider } from "./fake-provider.js";
export type {
  ApiName,
  Delivery,
  FakeProviderOptions,
  RawReply,
  ReceivedRequest,
  Scripted,
  ScriptedCall,
  ScriptedFailure,
  ScriptedReply,
} from "./scripted-reply.js";
export { type RunStoreTests, testRunStore } from "./test-run-store.js";
export { type SessionStoreTests, testSessionStore } from "./test-session-store.js";
