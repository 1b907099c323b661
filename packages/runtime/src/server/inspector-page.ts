/// <reference path="./inspector-files.d.ts" />
import { type Answer, methodRefused, RequestError, type ServerRequest } from "./answer.js";

/** Nothing but the page's own files; nothing from elsewhere, in a frame, or written as text into the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** What answers for the page at `/` and its files under `/inspector`; undefined for everything else. */
export function findPage({ path }: ServerRequest): ((request: ServerRequest) => Promise<Answer>) | undefined {
  const [first, name, ...rest] = path;
  if (first === undefined) return showPage;
  if (first === "inspector" && name !== undefined && rest.length === 0) return (request) => showFile(name, request);
  return undefined;
}

/** The page names its files and the API relative to itself, so that it works wherever it is mounted. */
async function showPage(request: ServerRequest): Promise<Answer> {
  const { pathname } = request;
  if (pathname.endsWith("/")) return showFile("index.html", request);
  const folder = pathname.slice(pathname.lastIndexOf("/") + 1);
  return { status: 308, headers: { location: `./${folder}/` }, body: "" };
}

async function showFile(name: string, request: ServerRequest): Promise<Answer> {
  if (request.method !== "GET") throw methodRefused(request.method, ["GET"]);
  const { files } = await import("#inspector");
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) {
    throw new RequestError(404, "not-found", `there is nothing at /${request.path.join("/")}; see /openapi.json`);
  }
  const headers = {
    "content-type": file.type,
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    // Kept, but asked for each time: an update of the package is seen at once.
    "cache-control": "no-cache",
    etag: file.etag,
  };
  if (request.header("if-none-match") === file.etag) return { status: 304, headers, body: "" };
  return { status: 200, headers, body: file.text };
}
