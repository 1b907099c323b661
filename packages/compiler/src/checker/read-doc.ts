import { ts } from "@ts-morph/common";
import type { Doc, DocTag, Place } from "./checker.js";

const NO_DOC: Doc = { description: "", tags: [] };

/**
 * Reads the JSDoc of one declaration. Of several blocks above it the last counts.
 *
 * Files are parsed without their JSDoc (see `open-project.ts`), and only the blocks that somebody asks for are parsed
 * here: in the declarations of a dependency that is one in a hundred.
 */
export function readDoc(node: ts.Node): Doc {
  let doc = docs.get(node);
  if (doc === undefined) {
    doc = read(node);
    docs.set(node, doc);
  }
  return doc;
}

const docs = new WeakMap<ts.Node, Doc>();

function read(node: ts.Node): Doc {
  const holder = docHolder(node);
  const file = holder.getSourceFile();
  const range = docRange(holder, file);
  const block = range === undefined ? undefined : parseBlock(file, range, holder);
  if (block === undefined) return NO_DOC;
  const context: Reading = { text: file.text };
  const tags = (block.tags ?? []).flatMap((tag) => readTag(tag, context));
  const paragraphs = tags.filter(({ name }) => PARAGRAPHS.has(name)).map(({ text }) => text);
  return {
    description: [textOf(block.comment, context), ...paragraphs].filter((text) => text !== "").join("\n\n"),
    tags,
  };
}

/** Tags whose text is part of the description: JSDoc's own, and TSDoc's. */
const PARAGRAPHS: ReadonlySet<string> = new Set(["description", "desc", "remarks"]);

interface Reading {
  readonly text: string;
}

/** The node that a comment belongs to: a variable's stands on its statement. */
function docHolder(node: ts.Node): ts.Node {
  if (ts.isVariableDeclaration(node) && ts.isVariableDeclarationList(node.parent)) {
    const statement = node.parent.parent;
    return ts.isVariableStatement(statement) && node.parent.declarations[0] === node ? statement : node;
  }
  return node;
}

function docRange(node: ts.Node, { text }: ts.SourceFile): ts.CommentRange | undefined {
  const isDoc = ({ pos, end }: ts.CommentRange) =>
    text.startsWith("/**", pos) && end - pos > 4 && text[pos + 3] !== "/";
  const above = ts.getLeadingCommentRanges(text, node.pos)?.findLast(isDoc);
  if (above !== undefined) return above;
  // On the line of what stands before, as in `{ /** City name. */ city: string }`. After a member it may be about that
  // one, unless both stand on one line; after a bracket it is about what follows.
  const beside = ts.getTrailingCommentRanges(text, node.pos)?.findLast(isDoc);
  if (beside === undefined) return undefined;
  const opens = /[{[(<]\s*$/.test(text.slice(Math.max(0, beside.pos - 80), beside.pos));
  return opens || !text.slice(beside.end, node.getStart()).includes("\n") ? beside : undefined;
}

type IsolatedParser = (text: string, start: number, length: number) => { readonly jsDoc: ts.JSDoc } | undefined;

function parseBlock(file: ts.SourceFile, { pos, end }: ts.CommentRange, owner: ts.Node): ts.JSDoc | undefined {
  // Not in the published types of the compiler, whose version is pinned; it is what parses the blocks of a whole file.
  const { parseIsolatedJSDocComment } = ts as unknown as { parseIsolatedJSDocComment: IsolatedParser };
  const block = parseIsolatedJSDocComment(withCodeMasked(file.text, pos, end), pos, end - pos)?.jsDoc;
  if (block !== undefined) (block as { parent: ts.Node }).parent = owner;
  return block;
}

/** Stands for an `@` inside a code fence while the parser reads, which would take it for a tag. Private use in Unicode. */
const MASK = "\uE0A0";

/** The text of a file with each `@` masked that stands in a code fence between two places. */
function withCodeMasked(text: string, start: number, end: number): string {
  const block = text.slice(start, end);
  if (!block.includes("```") || !block.includes("@")) return text;
  const masked = block.replace(/```[\s\S]*?```/g, (code) => code.replaceAll("@", MASK));
  return masked === block ? text : text.slice(0, start) + masked + text.slice(end);
}

/** The text of a JSDoc comment with its links as text; line ends are LF, paragraphs stay. */
function textOf(comment: ts.JSDoc["comment"], reading: Reading): string {
  if (comment === undefined) return "";
  const text = typeof comment === "string" ? comment : comment.map((part) => partText(part, reading)).join("");
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[ \t]+\n/g, "\n")
    .replaceAll(MASK, "@")
    .trim();
}

function partText(part: ts.JSDocComment, reading: Reading): string {
  if (part.kind === ts.SyntaxKind.JSDocText) return part.text;
  const link = part as ts.JSDocLink | ts.JSDocLinkCode | ts.JSDocLinkPlain;
  const name = link.name === undefined ? "" : sourceOf(link.name, reading);
  const label = link.text.replace(/^\s*\|\s*/, "").trim();
  // `{@link https://x.example/a text}` is read as the name `https` and the rest as text.
  if (link.text.startsWith("://")) {
    const [url = "", ...words] = `${name}${link.text}`.split(/[\s|]+/);
    return words.length > 0 ? `${words.join(" ")} (${url})` : url;
  }
  return label.startsWith("()") || label === "" ? `${name}${label}` : label;
}

function sourceOf(node: ts.Node, { text }: Reading): string {
  return text.slice(node.pos, node.end).trim();
}

function readTag(tag: ts.JSDocTag, reading: Reading): DocTag[] {
  if (ts.isJSDocParameterTag(tag) || ts.isJSDocPropertyTag(tag)) return readParameterTag(tag, reading);
  const braced = (tag as { typeExpression?: ts.JSDocTypeExpression }).typeExpression;
  const prefix = braced === undefined ? "" : `${sourceOf(braced, reading)} `;
  return [
    {
      name: tag.tagName.text,
      text: (prefix + textOf(tag.comment, reading)).trim(),
      place: tag as unknown as Place,
    },
  ];
}

// As text `{type} name text`: the reader of signatures takes the parts.
function readParameterTag(tag: ts.JSDocParameterTag | ts.JSDocPropertyTag, reading: Reading): DocTag[] {
  const type = tag.typeExpression;
  const nested = type !== undefined && ts.isJSDocTypeLiteral(type.type) ? (type.type.jsDocPropertyTags ?? []) : [];
  const typeText = type === undefined || nested.length > 0 ? "" : `${sourceOf(type, reading)} `;
  const own: DocTag = {
    name: tag.tagName.text,
    text: `${typeText}${sourceOf(tag.name, reading)} ${textOf(tag.comment, reading).replace(/^-\s*/, "")}`.trim(),
    place: tag as unknown as Place,
  };
  return [own, ...nested.flatMap((inner) => readParameterTag(inner as ts.JSDocPropertyTag, reading))];
}
