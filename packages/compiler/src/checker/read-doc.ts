import { ts } from "@ts-morph/common";
import type { Doc, DocTag, Place } from "./checker.js";

/** Reads the JSDoc of one declaration. The blocks above it count in order; the last one's text wins. */
export function readDoc(node: ts.Node): Doc {
  const blocks = blocksOf(node);
  const block = blocks.at(-1);
  if (block === undefined) return readInlineDoc(node) ?? { description: "", tags: [] };
  return { description: textOf(block.comment), tags: (block.tags ?? []).flatMap(readTag) };
}

/**
 * A comment on the line of the member itself, as in `{ /** City name. *\/ city: string }`. TypeScript takes it for
 * the end of what stands before.
 */
function readInlineDoc(node: ts.Node): Doc | undefined {
  if (!ts.isTypeElement(node) && !ts.isClassElement(node) && !ts.isEnumMember(node) && !ts.isNamedTupleMember(node)) {
    return undefined;
  }
  const file = node.getSourceFile();
  const comment = ts
    .getTrailingCommentRanges(file.text, node.pos)
    ?.findLast(({ pos }) => file.text.startsWith("/**", pos));
  if (comment === undefined) return undefined;
  // After a member it may be about that one, unless both stand on one line; after a bracket it is about what follows.
  const opens = /[{[(]\s*$/.test(file.text.slice(0, comment.pos));
  if (!opens && file.text.slice(comment.end, node.getStart(file)).includes("\n")) return undefined;
  const text = `${file.text.slice(comment.pos, comment.end)}\nlet x;`;
  const parsed = ts.createSourceFile("comment.ts", text, { languageVersion: ts.ScriptTarget.Latest }, true);
  const [statement] = parsed.statements;
  if (statement === undefined) return undefined;
  const { description, tags } = readDoc(statement);
  return { description, tags: tags.map((tag) => ({ ...tag, place: node as unknown as Place })) };
}

/** The text of a JSDoc comment with its links as text; line ends are LF, paragraphs stay. */
export function textOf(comment: ts.JSDoc["comment"]): string {
  if (comment === undefined) return "";
  const text = typeof comment === "string" ? comment : comment.map(partText).join("");
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[ \t]+\n/g, "\n")
    .trim();
}

function partText(part: ts.JSDocComment): string {
  if (part.kind === ts.SyntaxKind.JSDocText) return part.text;
  const link = part as ts.JSDocLink | ts.JSDocLinkCode | ts.JSDocLinkPlain;
  const name = link.name === undefined ? "" : link.name.getText();
  const label = link.text.replace(/^\s*\|\s*/, "").trim();
  // `{@link https://x.example/a text}` is read as the name `https` and the rest as text.
  if (link.text.startsWith("://")) {
    const [url = "", ...words] = `${name}${link.text}`.split(/[\s|]+/);
    return words.length > 0 ? `${words.join(" ")} (${url})` : url;
  }
  return label.startsWith("()") || label === "" ? `${name}${label}` : label;
}

function blocksOf(node: ts.Node): readonly ts.JSDoc[] {
  const holder = docHolder(node);
  return ((holder as { jsDoc?: readonly ts.JSDoc[] }).jsDoc ?? []) as readonly ts.JSDoc[];
}

/** The node that TypeScript hangs the comment on: a variable's stands on its statement. */
function docHolder(node: ts.Node): ts.Node {
  if (ts.isVariableDeclaration(node) && ts.isVariableDeclarationList(node.parent)) {
    const statement = node.parent.parent;
    return ts.isVariableStatement(statement) && node.parent.declarations[0] === node ? statement : node;
  }
  return node;
}

function readTag(tag: ts.JSDocTag): DocTag[] {
  if (ts.isJSDocParameterTag(tag) || ts.isJSDocPropertyTag(tag)) return readParameterTag(tag);
  const braced = (tag as { typeExpression?: ts.JSDocTypeExpression }).typeExpression;
  const prefix = braced === undefined ? "" : `${braced.getText()} `;
  return [
    {
      name: tag.tagName.text,
      text: (prefix + textOf(tag.comment)).trim(),
      place: tag as unknown as Place,
    },
  ];
}

// As text `{type} name text`: the reader of signatures takes the parts.
function readParameterTag(tag: ts.JSDocParameterTag | ts.JSDocPropertyTag): DocTag[] {
  const type = tag.typeExpression;
  const nested = type !== undefined && ts.isJSDocTypeLiteral(type.type) ? (type.type.jsDocPropertyTags ?? []) : [];
  const typeText = type === undefined || nested.length > 0 ? "" : `${type.getText()} `;
  const own: DocTag = {
    name: tag.tagName.text,
    text: `${typeText}${tag.name.getText()} ${textOf(tag.comment).replace(/^-\s*/, "")}`.trim(),
    place: tag as unknown as Place,
  };
  return [own, ...nested.flatMap((inner) => readParameterTag(inner as ts.JSDocPropertyTag))];
}
