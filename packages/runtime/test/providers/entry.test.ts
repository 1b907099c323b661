import { describe, expect, it } from "vitest";
import * as providersEntry from "../../src/providers/index.js";
import * as testingEntry from "../../src/testing/index.js";

describe("the entry points of providers and of testing", () => {
  it("export these names and no others", () => {
    expect(Object.keys(providersEntry).sort()).toEqual([
      "ProviderError",
      "lowerOutput",
      "lowerTool",
      "lowerTools",
      "measureSchema",
      "outputWire",
      "providers",
      "targets",
      "withoutReasoning",
    ]);
    expect(Object.keys(testingEntry).sort()).toEqual([
      "recordModel",
      "replayModel",
      "scriptedModel",
      "startFakeProvider",
      "testCarrier",
      "testRunStore",
      "testSessionStore",
    ]);
  });

  it("say what to install when an SDK is missing", async () => {
    const { loadSdk } = await import("../../src/providers/model-call.js");
    const missing = () => import("@callsign/no-such-sdk" as string);
    await expect(loadSdk(missing, { provider: "openai", install: "openai" })).rejects.toMatchObject({
      code: "sdk-missing",
      retryable: false,
    });
  });
});
