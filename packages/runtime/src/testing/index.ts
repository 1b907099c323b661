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
export { type CarrierTests, testCarrier } from "./test-carrier.js";
export { type RunStoreTests, testRunStore } from "./test-run-store.js";
