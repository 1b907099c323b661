import { agent, Tool } from "../../../packages/runtime/dist/index.js";
import { add, calls, description, parameters, reset } from "./_tool.mjs";

export { calls, reset };

const tool = () => new Tool({ name: "add", description, parameters, execute: (args) => add(args) });
const make = (base, n, stream) =>
  agent("Add.", {
    model: "openai-chat/mock",
    baseUrl: `${base}/v1`,
    apiKey: "x",
    tools: [tool()],
    maxToolCalls: n + 5,
    stream,
  });
export const loop = (base, n) => make(base, n, false)("go");
export async function loopStream(base, n) {
  let text = "";
  for await (const event of make(base, n, true).stream("go")) if (event.type === "token") text += event.text;
  return text;
}
export async function stream(base) {
  const assistant = agent("Talk.", { model: "openai-chat/mock", baseUrl: `${base}/v1`, apiKey: "x" });
  let text = "",
    tokens = 0;
  for await (const event of assistant.stream("go"))
    if (event.type === "token") {
      text += event.text;
      tokens++;
    }
  return { chars: text.length, tokens };
}
