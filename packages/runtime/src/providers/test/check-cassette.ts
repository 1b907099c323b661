import { isRecord } from "../../manifest/is-record.js";
import {
  amount,
  anything,
  type Check,
  failureCode,
  filled,
  listOf,
  members,
  must,
  oneOf,
  stopReason,
  text,
  USAGE,
  yesOrNo,
} from "./check-shape.js";

/** Every place of a cassette that cannot be played, one line each. Cassettes are edited by hand. */
export function checkCassette(content: unknown): readonly string[] {
  if (!isRecord(content)) return ["it is no JSON object"];
  const problems = shape(content, "");
  return problems.length > 0 ? problems : checkReferences(content as unknown as Checked);
}

/** What the shape of a cassette leaves open. */
interface Checked {
  readonly tools: Readonly<Record<string, unknown>>;
  readonly exchanges: readonly {
    readonly request: { readonly tools?: unknown; readonly messages?: unknown };
    readonly reply?: unknown;
    readonly failure?: unknown;
  }[];
}

const native = members({ api: filled, value: anything }, { required: ["api", "value"] });

const PARTS: Readonly<Record<string, Check>> = {
  text: members({ type: text, text, native }, { required: ["text"], open: true }),
  image: members(
    { type: text, mediaType: text, source: members({ base64: text, url: text }), native },
    { required: ["source"], open: true },
  ),
  reasoning: members({ type: text, text, native }, { required: ["text"], open: true }),
  tool_call: members(
    { type: text, id: filled, name: filled, arguments: text, native },
    { required: ["id", "name", "arguments"], open: true },
  ),
  native: members({ type: text, native }, { required: ["native"], open: true }),
};

const part: Check = (value, pointer) => {
  if (!isRecord(value)) return must("an object", isRecord)(value, pointer);
  const check = typeof value.type === "string" && Object.hasOwn(PARTS, value.type) ? PARTS[value.type] : undefined;
  return check?.(value, pointer) ?? oneOf(Object.keys(PARTS))(value.type, `${pointer}/type`);
};

const reply = members(
  {
    message: members(
      { role: oneOf(["assistant"]), content: listOf(part, "parts"), model: text, boundTo: text, native },
      { required: ["role", "content"], open: true },
    ),
    stop: stopReason,
    rawStop: text,
    usage: members(USAGE, { open: true }),
    refusal: text,
    servedModel: text,
    responseId: text,
    notes: listOf(text, "texts"),
  },
  { required: ["message", "stop", "usage", "notes"], open: true },
);

const failure = members(
  { code: failureCode, message: text, retryable: yesOrNo, retryAfterMs: amount, status: amount },
  { required: ["code", "message", "retryable"], open: true },
);

const position = must("a position in the list", (value) => Number.isInteger(value) && (value as number) >= 0);
const sharedMessages = members(
  { asIn: position, first: position, more: listOf(anything, "messages") },
  { required: ["asIn", "first", "more"] },
);
const messages: Check = (value, pointer) =>
  (isRecord(value) ? sharedMessages : listOf(anything, "messages"))(value, pointer);

const shape = members(
  {
    model: must("provider/model", (value) => typeof value === "string" && /^[^/]+\/./.test(value)),
    tools: must("an object", isRecord),
    exchanges: listOf(
      members(
        {
          request: members({ messages }, { open: true }),
          events: listOf(
            members(
              { type: oneOf(["text", "reasoning"]), pieces: listOf(text, "texts") },
              { required: ["type", "pieces"] },
            ),
            "{ type, pieces }",
          ),
          reply,
          failure,
        },
        { required: ["request", "events"], open: true },
      ),
      "exchanges",
    ),
  },
  { required: ["model", "tools", "exchanges"], open: true },
);

function checkReferences({ tools, exchanges }: Checked): readonly string[] {
  const lengths: number[] = [];
  return exchanges.flatMap(({ request, ...outcome }, index) => {
    const place = `/exchanges/${index}`;
    const problems: string[] = [];
    if (request.tools !== undefined && !(typeof request.tools === "string" && Object.hasOwn(tools, request.tools))) {
      problems.push(`${place}/request/tools: must be a name in /tools`);
    }
    if ((outcome.reply === undefined) === (outcome.failure === undefined)) {
      problems.push(`${place}: must have a reply or a failure`);
    }
    const { messages: given = [] } = request;
    if (!isRecord(given)) {
      lengths.push((given as readonly unknown[]).length);
      return problems;
    }
    const { asIn, first, more } = given as { asIn: number; first: number; more: readonly unknown[] };
    const there = lengths[asIn];
    if (there === undefined)
      problems.push(`${place}/request/messages/asIn: must be the position of an earlier exchange`);
    else if (first > there)
      problems.push(`${place}/request/messages/first: must be at most ${there}, as many as exchange ${asIn} has`);
    lengths.push(first + more.length);
    return problems;
  });
}
