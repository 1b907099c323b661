import { SessionError } from "../errors/session-error.js";
import { isRecord } from "../manifest/is-record.js";
import type { Message } from "../model/messages.js";
import type { SessionChange } from "./session-store.js";

const LONGEST_ID = 512;

/** @throws {SessionError} code `session-id`. */
export function checkSessionId(id: unknown): asserts id is string {
  const problem =
    typeof id !== "string"
      ? `must be text, not ${id === null ? "null" : typeof id}`
      : id.length === 0
        ? "must not be empty"
        : id.length > LONGEST_ID
          ? `must have at most ${LONGEST_ID} characters, not ${id.length}`
          : id.includes("\0") || !id.isWellFormed()
            ? "must not hold NUL or half of a surrogate pair, which databases do not keep"
            : undefined;
  if (problem !== undefined) throw new SessionError(`a session's id ${problem}`, { code: "session-id" });
}

/** A change as it is stored: checked, and as text. */
export interface WrittenChange {
  readonly expectedVersion: number;
  readonly keep: number | undefined;
  readonly append: readonly string[];
  readonly agentName: string | undefined;
  readonly metadata: string | undefined;
}

/** @throws {SessionError} codes `session-id`, `session-not-json`. */
export function writeChange(id: string, change: SessionChange): WrittenChange {
  checkSessionId(id);
  const refuse = (what: string, cause?: unknown): SessionError =>
    new SessionError(`session ${JSON.stringify(id)} is not saved: ${what}`, {
      code: "session-not-json",
      sessionId: id,
      cause,
    });
  const { expectedVersion, keep, append = [], agentName, metadata } = change;
  if (!isCount(expectedVersion)) throw refuse("expectedVersion must be the version that load gave, or 0");
  if (keep !== undefined && !isCount(keep)) throw refuse("keep must be a number of messages");
  if (agentName !== undefined && (typeof agentName !== "string" || !agentName.isWellFormed())) {
    throw refuse("agentName must be text");
  }
  if (metadata !== undefined && !isRecord(metadata)) throw refuse("metadata must be an object");
  if (!Array.isArray(append)) throw refuse("append must be an array of messages");
  const write = (value: unknown, what: string): string => {
    let text: string | undefined;
    try {
      text = JSON.stringify(value);
    } catch (cause) {
      throw refuse(`${what} has no JSON form: ${(cause as Error).message}`, cause);
    }
    if (text === undefined) throw refuse(`${what} has no JSON form`);
    return text;
  };
  return {
    expectedVersion,
    keep,
    append: append.map((message, index) => {
      if (!isMessage(message)) throw refuse(`append[${index}] is no message: it needs a role and a list as content`);
      return write(message, `append[${index}]`);
    }),
    agentName,
    metadata: metadata && write(metadata, "metadata"),
  };
}

/** @throws {SessionError} code `session-corrupt`. */
export function readMessages(id: string, texts: readonly string[]): Message[] {
  return texts.map((text, index) => {
    const message = readStored(text, { id, what: `message ${index}` });
    if (!isMessage(message)) throw corrupt(id, `message ${index} is no message`);
    return message;
  });
}

/** @throws {SessionError} code `session-corrupt`. */
export function readMetadata(id: string, text: string): SessionMetadata {
  const metadata = readStored(text, { id, what: "the metadata" });
  if (!isRecord(metadata)) throw corrupt(id, "the metadata is no object");
  return metadata as SessionMetadata;
}

type SessionMetadata = NonNullable<SessionChange["metadata"]>;

export function corrupt(id: string, what: string, cause?: unknown): SessionError {
  return new SessionError(
    `session ${JSON.stringify(id)} cannot be read: ${what}; restore it from a copy, or delete it`,
    { code: "session-corrupt", sessionId: id, cause },
  );
}

/** @throws {SessionError} code `session-changed`. */
export function expectVersion(id: string, versions: { readonly stored: number; readonly expected: number }): void {
  const { stored, expected } = versions;
  if (stored === expected) return;
  const found = stored === 0 ? "there is no such session" : `it has version ${stored}`;
  throw new SessionError(
    `session ${JSON.stringify(id)} was changed meanwhile: version ${expected} was expected, but ${found}; load it again and repeat the turn`,
    { code: "session-changed", sessionId: id, retryable: true },
  );
}

/** How many messages stay. @throws {SessionError} code `session-not-json`. */
export function messagesKept(
  id: string,
  counts: { readonly stored: number; readonly keep: number | undefined },
): number {
  const { stored, keep = stored } = counts;
  if (keep <= stored) return keep;
  throw new SessionError(`session ${JSON.stringify(id)} has ${stored} messages; ${keep} cannot stay`, {
    code: "session-not-json",
    sessionId: id,
  });
}

function readStored(text: string, { id, what }: { readonly id: string; readonly what: string }): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw corrupt(id, `${what} is not JSON (${(cause as Error).message})`, cause);
  }
}

const ROLES: readonly unknown[] = ["user", "assistant", "tool", "system"] satisfies Message["role"][];

function isMessage(value: unknown): value is Message {
  return isRecord(value) && ROLES.includes(value.role) && Array.isArray(value.content);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
