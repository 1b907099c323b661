import { createHash } from "node:crypto";
import type { Refusal } from "./scripted-reply.js";

/** Reading of a body of which nothing is known. */
export type Received = { readonly [key: string]: unknown };

export function isReceived(value: unknown): value is Received {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objectsOf(value: unknown): readonly Received[] {
  return listOf(value).filter(isReceived);
}

/** A short fingerprint of a JSON value. */
export function fingerprint(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 24);
}

export function badRequest(message: string, more: { code?: string; param?: string } = {}): Refusal {
  return { status: 400, message, ...more };
}

/** The first refusal of several checks. */
export function firstRefusal(checks: readonly (() => Refusal | undefined)[]): Refusal | undefined {
  for (const check of checks) {
    const refusal = check();
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

export function argumentText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Text in pieces as models send it: some characters each, never inside a character. */
export function pieces(text: string, size = 4): readonly string[] {
  const characters = [...text];
  const parts: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    parts.push(characters.slice(start, start + size).join(""));
  }
  return parts;
}
