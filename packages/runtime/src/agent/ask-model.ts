import { thrownMessage } from "../calls/thrown-message.js";
import { AgentError } from "../errors/agent-error.js";
import type { Message } from "../model/messages.js";
import type { ModelReply } from "../model/model-events.js";
import type { ToolChoice } from "../model/provider.js";
import type { ProviderError } from "../model/provider-error.js";
import { withoutReasoning } from "../providers/history.js";
import { modelSpan, replyAttributes } from "../telemetry/spans.js";
import { checkMessages } from "./check-question.js";
import { pairResults } from "./pair-results.js";
import type { Run } from "./run.js";
import { streamReply } from "./stream-reply.js";

/** How often a provider may ask for its own turn back before that is no progress. */
const MOST_PAUSES = 10;
/** How often in a row a model may write a call that its server cannot read. */
const MOST_UNREADABLE = 2;

/**
 * The next reply of the model, added to the conversation. Failures that may pass were waited out; then the next model
 * of the agent's list is asked.
 *
 * @throws {AgentError} `model-stopped`.
 * @throws {ProviderError}
 */
export async function askModel(run: Run, chooseTools: () => ToolChoice): Promise<ModelReply> {
  let unreadable = 0;
  for (let pauses = 0; ; ) {
    let asked: AskedReply;
    try {
      asked = await askOnce(run, chooseTools());
    } catch (error) {
      const { code, message = thrownMessage(error) } = fieldsOf(error);
      if (code === "tool-call-refused" && unreadable < MOST_UNREADABLE) {
        unreadable += 1;
        run.emit({ type: "retry", attempt: unreadable + 1, waitMs: 0, reason: message });
        run.addUser(
          `Your last tool call could not be read: ${message}\nCall it again, with arguments that fit its schema.`,
        );
        continue;
      }
      await fallBack(run, error);
      continue;
    }
    const { reply, wasChanged } = asked;
    if (reply.stop === "malformed" && unreadable < 1) {
      unreadable += 1;
      run.emit({ type: "retry", attempt: 2, waitMs: 0, reason: "the model wrote a tool call that cannot be read" });
      continue;
    }
    if (reply.stop === "malformed" || reply.stop === "error") {
      const word = reply.rawStop === undefined ? "" : ` (${reply.rawStop})`;
      throw new AgentError(`the model stopped without an answer${word}`, { code: "model-stopped", retryable: true });
    }
    const added = run.addReply(reply, { wasChanged });
    // A call is due its result first, whatever word the provider has for the stop.
    if (reply.stop !== "pause" || added.message.content.some(({ type }) => type === "tool_call")) return added;
    pauses += 1;
    if (pauses > MOST_PAUSES) {
      throw new AgentError(`the provider paused the turn ${MOST_PAUSES} times`, {
        code: "model-stopped",
        retryable: true,
      });
    }
  }
}

interface AskedReply {
  readonly reply: ModelReply;
  /** Whether the model saw something else than the conversation. */
  readonly wasChanged: boolean;
}

async function askOnce(run: Run, toolChoice: ToolChoice): Promise<AskedReply> {
  // A tool that ended because of the abort has its result; nothing more is asked.
  run.signal.throwIfAborted();
  const step = run.beginStep();
  const { hooks } = run.options;
  const task = { step, model: run.agent.model.id, agent: run.agent.definition.name };
  const isQuiet = run.execution.isRecorded(task);
  if (!isQuiet) run.emit({ type: "step_start", step });
  // A copy: what a hook does with the list must not reach the conversation.
  const seen = hooks === undefined ? undefined : { ...task, messages: [...run.sentMessages] };
  const messages = seen && (await hooks?.beforeModel?.(seen))?.messages;
  run.signal.throwIfAborted();
  const request = run.request(toolChoice, messages === undefined ? undefined : unbound(messages, run));
  const { contents } = run.telemetry;
  const span = modelSpan({ model: task.model, sessionId: run.sessionId, request, contents });
  const reply = await run.execution.model(task, () =>
    run.telemetry.withSpan(span, async ({ set }) => {
      const received = await streamReply(request, { run });
      set(replyAttributes(received, { contents }));
      return run.bind(received);
    }),
  );
  if (!isQuiet) run.emit({ type: "usage", step, usage: reply.usage });
  run.addUsage(reply.usage);
  if (seen !== undefined) await hooks?.afterModel?.(reply, seen);
  return { reply, wasChanged: messages !== undefined };
}

function unbound(messages: readonly Message[], run: Run): readonly Message[] {
  checkMessages(messages, "messages of the hook beforeModel");
  run.emit({ type: "reasoning_dropped", reason: "a hook changed the messages" });
  return pairResults(messages).map((message) => (message.role === "assistant" ? withoutReasoning(message) : message));
}

/** Anything may be thrown by hooks and by providers of one's own. */
function fieldsOf(thrown: unknown): Partial<ProviderError> {
  return typeof thrown === "object" && thrown !== null ? thrown : {};
}

/** Failures that another model would not have. What the request itself did wrong, it would do wrong again. */
const SAME_ELSEWHERE: ReadonlySet<string | undefined> = new Set(["aborted", "bad-request"]);

/** Goes on with the next model. @throws the failure when there is none, or when part of the reply was shown. */
async function fallBack(run: Run, failure: unknown): Promise<void> {
  const { code, message = thrownMessage(failure), partial, provider } = fieldsOf(failure);
  // Only what a provider did is a reason to leave it.
  if (provider === undefined || partial === true || SAME_ELSEWHERE.has(code) || run.signal.aborted) throw failure;
  const next = await run.nextModel();
  if (next === undefined) throw failure;
  const reason = `${message}; ${next.model.id} goes on`;
  run.emit({ type: "retry", attempt: 1, waitMs: 0, reason });
}
