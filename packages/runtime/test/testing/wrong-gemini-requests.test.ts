import { ApiError, GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeProvider, startFakeProvider } from "../../src/testing/index.js";
import { type Body, parameters, type WrongRequest } from "./wrong-request.js";

// One wrong request for each rule, sent by the provider's own SDK: the fake provider must not only agree with us.

let fake: FakeProvider;

beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

describe("the fake provider refuses by Gemini's SDK", () => {
  const send = (body: Body, apiKey = "test") =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl: fake.url } }).models.generateContent({
      model: "gemini-3.8-flash",
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      ...body,
    } as never);
  const declared = (parametersJsonSchema?: unknown, more: Body = {}) => ({
    tools: [
      {
        functionDeclarations: [
          { name: "f", ...(parametersJsonSchema === undefined ? {} : { parametersJsonSchema }), ...more },
        ],
      },
    ],
  });
  const question = { role: "user", parts: [{ text: "hi" }] };
  const call = (more: Body = {}) => ({ functionCall: { name: "f", args: {} }, ...more });
  const result = { functionResponse: { name: "f", response: { output: "ok" } } };
  const signed = { thoughtSignature: "skip_thought_signature_validator" };

  const wrong: WrongRequest[] = [
    { rule: "a wrong key", body: {}, key: "wrong", says: /API key not valid/ },
    { rule: "an unknown model", body: { model: "missing" }, says: /not found/, status: 404 },
    {
      rule: "a name with a space",
      body: { config: declared(undefined, { name: "a b" }) },
      says: /Invalid function name/,
    },
    {
      rule: "both forms of parameters",
      body: { config: declared({ type: "object" }, { parameters: { type: "OBJECT" } }) },
      says: /Only one of/,
    },
    {
      rule: "const in a schema",
      body: { config: declared({ type: "object", properties: { a: { const: 1 } } }) },
      says: /const/,
    },
    {
      rule: "exclusiveMinimum in a schema",
      body: { config: declared({ type: "object", properties: { a: { type: "number", exclusiveMinimum: 1 } } }) },
      says: /exclusiveMinimum/,
    },
    {
      rule: "a boolean in an enum",
      body: { config: declared({ type: "object", properties: { a: { enum: [true] } } }) },
      says: /strings and numbers/,
    },
    {
      rule: "a reference with a description",
      body: {
        config: declared({
          type: "object",
          properties: { a: { $ref: "#/$defs/A", description: "x" } },
          $defs: { A: { type: "string" } },
        }),
      },
      says: /beside \$ref/,
    },
    {
      rule: "recursion through a required property",
      body: {
        config: declared({
          type: "object",
          properties: { a: { $ref: "#/$defs/A" } },
          $defs: { A: { type: "object", properties: { a: { $ref: "#/$defs/A" } }, required: ["a"] } },
        }),
      },
      says: /recursion/,
    },
    {
      rule: "an allowed function that is not declared",
      body: {
        config: { ...declared(), toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["g"] } } },
      },
      says: /not declared/,
    },
    {
      rule: "allowed functions in mode AUTO",
      body: {
        config: { ...declared(), toolConfig: { functionCallingConfig: { mode: "AUTO", allowedFunctionNames: ["f"] } } },
      },
      says: /mode is ANY/,
    },
    {
      rule: "JSON beside tools on 2.5",
      body: { model: "gemini-2.5-flash", config: { ...declared(), responseMimeType: "application/json" } },
      says: /'application\/json' is unsupported/,
    },
    {
      rule: "a schema without the JSON type",
      body: { config: { responseJsonSchema: { type: "object" } } },
      says: /response_mime_type/,
    },
    {
      rule: "budget and level",
      body: { config: { thinkingConfig: { thinkingBudget: 1, thinkingLevel: "LOW" } } },
      says: /only set only one/,
    },
    {
      rule: "a level on 2.5",
      body: { model: "gemini-2.5-flash", config: { thinkingConfig: { thinkingLevel: "LOW" } } },
      says: /Thinking level is not supported/,
    },
    {
      rule: "no thinking on 2.5 pro",
      body: { model: "gemini-2.5-pro", config: { thinkingConfig: { thinkingBudget: 0 } } },
      says: /Budget 0 is invalid/,
    },
    {
      rule: "MINIMAL where the model lacks it",
      body: { model: "gemini-4-argon", config: { thinkingConfig: { thinkingLevel: "MINIMAL" } } },
      says: /MINIMAL/,
    },
    {
      rule: "fewer results than calls",
      body: {
        contents: [question, { role: "model", parts: [call(signed), call()] }, { role: "user", parts: [result] }],
      },
      says: /number of function response parts/,
    },
    {
      rule: "a call after a model's turn",
      body: {
        contents: [
          question,
          { role: "model", parts: [{ text: "x" }] },
          { role: "model", parts: [call(signed)] },
          { role: "user", parts: [result] },
        ],
      },
      says: /immediately after a user turn/,
    },
    {
      rule: "a call without signature on 3",
      body: { contents: [question, { role: "model", parts: [call()] }, { role: "user", parts: [result] }] },
      says: /missing a thought_signature/,
    },
    {
      rule: "a signature that it did not write",
      body: {
        contents: [
          question,
          { role: "model", parts: [call({ thoughtSignature: "Zm9yZ2Vk" })] },
          { role: "user", parts: [result] },
        ],
      },
      says: /not valid for its part/,
    },
    {
      rule: "a model's turn at the end",
      body: { contents: [question, { role: "model", parts: [{ text: "x" }] }] },
      says: /last turn is a user turn/,
    },
    {
      rule: "an image in a result on 2.5",
      body: {
        model: "gemini-2.5-flash",
        contents: [
          question,
          { role: "model", parts: [call()] },
          {
            role: "user",
            parts: [
              {
                functionResponse: {
                  ...result.functionResponse,
                  parts: [{ inlineData: { mimeType: "image/png", data: "AA==" } }],
                },
              },
            ],
          },
        ],
      },
      says: /Multimodal/,
    },
  ];

  beforeEach(() => {
    for (const name of ["GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_ENTERPRISE"])
      delete process.env[name];
  });

  it.each(wrong)("$rule", async ({ body, says, key, status }) => {
    const failure = await send(body, key).catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(ApiError);
    expect((failure as ApiError).status).toBe(status ?? 400);
    expect((failure as Error).message).toMatch(says);
  });

  it("a signed call that was changed", async () => {
    fake.script({ toolCalls: [{ name: "f", arguments: { a: "x" } }] });
    const reply = await send({ config: declared(parameters) });
    const content = reply.candidates![0]!.content!;
    const changed = JSON.parse(JSON.stringify(content).replace('"x"', '"y"'));
    const failure = await send({
      config: declared(parameters),
      contents: [question, changed, { role: "user", parts: [result] }],
    }).catch((thrown: unknown) => thrown);
    expect((failure as Error).message).toMatch(/not valid for its part/);
    fake.script({ text: "ok" });
    await send({ config: declared(parameters), contents: [question, content, { role: "user", parts: [result] }] });
  });
});
