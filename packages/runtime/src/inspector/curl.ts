import type { ApiRequest } from "./api.js";

export interface CurlOptions {
  /** The page's own address, to which the request's path is relative. */
  readonly base: string;
  /** Whether the server wants a token: the command takes it from the environment, it is never written out. */
  readonly hasToken: boolean;
}

/** A request as a command for a shell. */
export function curlCommand({ method = "GET", path, body }: ApiRequest, { base, hasToken }: CurlOptions): string {
  const streams = /\/stream(?:\?|$)/.test(path) ? "-N " : "";
  const lines = [`curl ${streams}${method === "GET" ? "" : `-X ${method} `}${quoted(new URL(path, base).href)}`];
  if (hasToken) lines.push('-H "authorization: Bearer $CALLSIGN_TOKEN"');
  if (body !== undefined)
    lines.push("-H 'content-type: application/json'", `--data-raw ${quoted(JSON.stringify(body))}`);
  return lines.join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
