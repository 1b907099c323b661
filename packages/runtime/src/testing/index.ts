export type { ScriptCall, ScriptFailure, ScriptReply, ScriptStep } from "../providers/test/script.js";
export { type FakeProvider, startFakeProvider } from "./fake-provider.js";
export { type CassetteOptions, recordModel } from "./record-model.js";
export { type ReplayModel, type ReplayModelOptions, replayModel } from "./replay-model.js";
export { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from "./scripted-model.js";
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
export { type SessionStoreTests, testSessionStore } from "./test-session-store.js";
