import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { AgentError } from "../../errors/agent-error.js";
import { isRecord } from "../../manifest/is-record.js";
import type { Json } from "../../manifest/json-schema.js";
import type { ModelReply } from "../../model/model-events.js";
import type { ProviderErrorCode } from "../../model/provider-error.js";
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
  /** `tools` is a name in `Cassette.tools`. */
  readonly request: NormalRequest;
  readonly events: readonly RecordedEvents[];
  readonly reply?: ModelReply;
  readonly failure?: RecordedFailure;
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

/** @throws {AgentError} `cassette-unreadable`, `cassette-shape`. */
export function readCassette(path: string): Cassette {
  const content = readCassetteJson(path);
  const problem = findProblem(content);
  if (problem !== undefined) {
    throw new AgentError(`the cassette ${path} cannot be played: ${problem}; record it anew`, {
      code: "cassette-shape",
    });
  }
  return content as Cassette;
}

function findProblem(content: unknown): string | undefined {
  if (!isRecord(content)) return "it is no JSON object";
  if (content.cassetteVersion !== CASSETTE_VERSION) {
    return `its version is ${JSON.stringify(content.cassetteVersion)}, and this release plays version ${CASSETTE_VERSION}`;
  }
  if (typeof content.model !== "string") return "/model must be text";
  if (!isRecord(content.tools)) return "/tools must be an object";
  if (!Array.isArray(content.exchanges)) return "/exchanges must be a list";
  for (const [index, exchange] of content.exchanges.entries()) {
    const place = `/exchanges/${index}`;
    if (!isRecord(exchange) || !isRecord(exchange.request)) return `${place}/request must be an object`;
    const { tools } = exchange.request;
    if (tools !== undefined && !(typeof tools === "string" && Object.hasOwn(content.tools, tools))) {
      return `${place}/request/tools must be a name in /tools`;
    }
    if (!Array.isArray(exchange.events) || !exchange.events.every(isEvents)) {
      return `${place}/events must be a list of { type, pieces }`;
    }
    const { reply, failure } = exchange;
    const hasReply = isRecord(reply) && isRecord(reply.message) && Array.isArray(reply.message.content);
    const hasFailure = isRecord(failure) && typeof failure.code === "string" && typeof failure.message === "string";
    if (hasReply === hasFailure) return `${place} must have a reply or a failure`;
  }
  return undefined;
}

function isEvents(value: unknown): boolean {
  return isRecord(value) && (value.type === "text" || value.type === "reasoning") && Array.isArray(value.pieces);
}

/** The file is the old one or the new one, never a part. */
export function writeCassette(path: string, cassette: Cassette): void {
  mkdirSync(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(unfinished, `${JSON.stringify(cassette, null, 2)}\n`);
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** The request with its tools themselves. */
export function wholeRequest({ tools }: Cassette, { request }: Exchange): NormalRequest {
  const name = request.tools;
  return typeof name === "string" ? { ...request, tools: tools[name] as Json } : request;
}
