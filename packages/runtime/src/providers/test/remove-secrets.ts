import type { Json } from "../../manifest/json-schema.js";
import { setOwn } from "../../validation/set-own.js";

/** What is never written to a file, beside what looks like a key. */
export interface KnownSecrets {
  /** Variables count whose names end in `KEY`, `TOKEN`, `SECRET`, `PASSWORD`, `PASS` or `CREDENTIALS`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Shorter values would occur by chance. */
const SHORTEST_SECRET = 8;
/** Stands where a secret was. */
export const REMOVED = "[removed]";

/** The forms of keys of well-known services. */
const KEY_FORMS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:sk|rk|pk)[-_][A-Za-z0-9][A-Za-z0-9_-]{14,}/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\b(?:gh[a-z]_|github_pat_|glpat-|gsk_|hf_|xai-|npm_|r8_)[A-Za-z0-9_-]{16,}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
];
/** Prose goes on after "basic" with words; a credential has digits. */
const BEARER = /\b(bearer|basic)(\s+)(?=\S*\d)[A-Za-z0-9._~+/-]{12,}=*/gi;
/** `postgres://user:…@host`. */
const USER_INFO = /\b([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@"'\\]{0,200}:)[^\s/@"'\\]{1,400}(?=@)/gi;
/** `"password": "…"` in JSON text. */
const PASSWORD = /((["'])(?:password|passwd|passphrase)\\?\2\s*:\s*\\?\2)[^"'\\]+/gi;
/** `"api_key": "…"` in JSON text, `api_key=…` in an address, `Authorization: …` in a header. */
const NAMED =
  /((?:api[_-]?key|authorization|(?:access|refresh|id|auth|session|security)[_-]?token|client[_-]?secret|(?:secret|private)[_-]?key)["']?\s*[:=]\s*\\?["']?)((?:(?:bearer|basic)\s+)?[^\s"'\\&,;}]{6,})/gi;
const SECRET_NAME =
  /^(?:x-)?(?:(?:goog-)?api[_-]?key|(?:proxy-)?authorization|(?:access|refresh|id|auth|session|security)[_-]?token|client[_-]?secret|(?:secret|private)[_-]?key|password|passwd|passphrase|(?:set-)?cookie)$/i;

const SECRET_VARIABLE = /(?:^|_)(?:[A-Z]*KEY|TOKEN|SECRET|PASS|CREDENTIALS?)$|(?:PASSWORD|PASSWD|PASSPHRASE)$/i;

/** As a secret stands in JSON text, in an address, and in a header. */
function spellings(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inJsonInJson = JSON.stringify(inJson).slice(1, -1);
  const base64 = Buffer.from(secret).toString("base64");
  return [...new Set([secret, inJson, inJsonInJson, encode(secret), base64, base64.replace(/=+$/, "")])];
}

/** As `encodeURIComponent`, which fails at a text that is cut inside of a character. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Members of a provider's own JSON that it signed or sealed. They come back to it byte by byte, and hold no prose. */
const SEALED = new Set([
  "signature",
  "data",
  "encrypted_content",
  "thoughtSignature",
  "thought_signature",
  "id",
  "item_id",
  "call_id",
]);

/** @returns A function that gives a copy of a JSON value without secrets. */
export function secretRemover({ env = process.env, apiKey, headers = {} }: KnownSecrets = {}): (value: Json) => Json {
  const known = [
    apiKey,
    ...Object.values(headers),
    ...Object.values(headers).map((value) => value.replace(/^(?:bearer|basic)\s+/i, "")),
    ...Object.entries(env).map(([name, value]) => (SECRET_VARIABLE.test(name) ? value : undefined)),
  ]
    .filter((value) => value !== undefined && value.length >= SHORTEST_SECRET)
    .flatMap((value) => spellings(value as string));
  // Longer ones first: one may hold another.
  known.sort((a, b) => b.length - a.length);

  const fromText = (text: string): string => {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, REMOVED);
    for (const form of KEY_FORMS) clean = clean.replace(form, REMOVED);
    return clean
      .replace(BEARER, `$1$2${REMOVED}`)
      .replace(NAMED, `$1${REMOVED}`)
      .replace(PASSWORD, `$1${REMOVED}`)
      .replace(USER_INFO, `$1${REMOVED}`);
  };
  const visit = (value: Json, isNative: boolean): Json => {
    if (typeof value === "string") return fromText(value);
    if (Array.isArray(value)) return value.map((element) => visit(element, isNative));
    if (typeof value !== "object" || value === null) return value;
    const copy = {};
    for (const [name, member] of Object.entries(value)) {
      const sealed = isNative && typeof member === "string" && SEALED.has(name);
      const named = typeof member === "string" && SECRET_NAME.test(name);
      setOwn(copy, name, sealed ? member : named ? REMOVED : visit(member, isNative || name === "native"));
    }
    return copy;
  };
  return (value) => visit(value, false);
}
