import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { AgentError } from "../../errors/agent-error.js";
import { isRecord } from "../../manifest/is-record.js";
import type { Json } from "../../manifest/json-schema.js";
import type { ModelReply } from "../../model/model-events.js";
import type { ProviderErrorCode } from "../../model/provider-error.js";
import { checkCassette } from "./check-cassette.js";
import type { NormalRequest } from "./normal-request.js";
import { readCassetteJson } from "./recorded-model.js";

export const CASSETTE_VERSION = 1;

/** What was asked of a model and what it answered, for tests and for review. */
export interface Cassette {
  readonly cassetteVersion: typeof CASSETTE_VERSION;
  /** `provider/model`. */
  readonly model: string;
  /** The tools of requests, by the name that a request has for them: most requests have the same. */
  readonly tools: { readonly [name: string]: Json };
  readonly exchanges: readonly Exchange[];
}

/** One request and what came of it: events and a reply, or a failure after some events. */
export interface Exchange {
  /** `tools` is a name in `Cassette.tools`; `messages` is a list, or `SharedMessages`. */
  readonly request: NormalRequest;
  readonly events: readonly RecordedEvents[];
  readonly reply?: ModelReply;
  readonly failure?: RecordedFailure;
}

/** Messages that begin as those of an earlier request do. Without it a cassette would grow with the square of its steps. */
export interface SharedMessages {
  /** Position of the earlier exchange in the list, from 0. */
  readonly asIn: number;
  /** How many of its messages are the same. */
  readonly first: number;
  readonly more: readonly Json[];
}

/** Events of one kind in a row. */
export interface RecordedEvents {
  readonly type: "text" | "reasoning";
  readonly pieces: readonly string[];
}

export interface RecordedFailure {
  readonly code: ProviderErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly status?: number;
}

const MOST_PROBLEMS = 10;

/** @throws {AgentError} `cassette-unreadable`; `cassette-shape` with every place that is wrong. */
export function readCassette(path: string): Cassette {
  const content = readCassetteJson(path);
  const problems =
    isRecord(content) && content.cassetteVersion !== CASSETTE_VERSION
      ? [otherVersion(content)]
      : checkCassette(content);
  if (problems.length > 0) {
    const more = problems.length - MOST_PROBLEMS;
    const lines = [...problems.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])];
    throw new AgentError(
      `the cassette ${path} cannot be played:\n${lines.map((line) => `- ${line}`).join("\n")}\nPut it right, or record it anew.`,
      { code: "cassette-shape" },
    );
  }
  return content as Cassette;
}

function otherVersion({ cassetteVersion }: Readonly<Record<string, unknown>>): string {
  return `its version is ${JSON.stringify(cassetteVersion)}, and this release plays version ${CASSETTE_VERSION}`;
}

/** Makes the folder. Called before anything is asked, since an answer that cannot be written down was paid for nothing. */
export function prepareCassette(path: string): void {
  withReason(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error("it is a folder");
  });
}

/** The file is the old one or the new one, never a part. @throws {AgentError} `cassette-not-written`. */
export function writeCassette(path: string, cassette: Cassette): void {
  const unfinished = `${path}.${process.pid}.tmp`;
  withReason(path, () => {
    try {
      writeFileSync(unfinished, `${JSON.stringify(cassette, null, 2)}\n`);
      renameSync(unfinished, path);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
  });
}

function withReason(path: string, action: () => void): void {
  try {
    action();
  } catch (cause) {
    throw new AgentError(`the cassette ${path} cannot be written: ${(cause as Error).message}`, {
      code: "cassette-not-written",
      cause,
    });
  }
}

/** The requests with their tools and messages themselves, in the order of the recording. */
export function wholeRequests({ tools, exchanges }: Cassette): readonly NormalRequest[] {
  const whole: NormalRequest[] = [];
  for (const { request } of exchanges) {
    const name = request.tools;
    const shared = request.messages as unknown as SharedMessages | readonly Json[] | undefined;
    whole.push({
      ...request,
      ...(typeof name === "string" ? { tools: tools[name] as Json } : {}),
      ...(isRecord(shared) ? { messages: unshared(shared as unknown as SharedMessages, whole) } : {}),
    });
  }
  return whole;
}

function unshared({ asIn, first, more }: SharedMessages, before: readonly NormalRequest[]): Json {
  const messages = (before[asIn]?.messages ?? []) as readonly Json[];
  return [...messages.slice(0, first), ...more];
}
