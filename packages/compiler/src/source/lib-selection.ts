import { ts } from "@ts-morph/common";
import { isLibFile, LIB_FOLDER, libText } from "./lib-files.js";

/**
 * Creates the program without the DOM library where the outcome is provably the same without it, since parsing and
 * binding that library takes longer than all the rest of a small build.
 *
 * It can make a difference in two ways only: by a name that some file refers to and nothing else declares, or by
 * merging with a global declaration of the same name. Both are looked for; at the first find the library is loaded.
 */
export function withoutDom(
  options: ts.CompilerOptions,
  create: (options: ts.CompilerOptions) => ts.Program,
): ts.Program {
  const lib = libWithoutDom(options);
  if (lib === undefined) return create(options);
  const program = create({ ...options, lib });
  return needsDom(program) ? create(options) : program;
}

const DOM_LIBS = ["dom", "dom.iterable", "dom.asynciterable", "scripthost", "webworker.importscripts"];
const isDomLib = (lib: string) => DOM_LIBS.includes(lib.replace(/^lib\./, "").replace(/\.d\.ts$/, ""));

/** The `lib` option without the DOM, or undefined where the project does not ask for the DOM. */
function libWithoutDom({ lib, target, noLib }: ts.CompilerOptions): string[] | undefined {
  if (noLib === true) return undefined;
  if (lib !== undefined) {
    const kept = lib.filter((each) => !isDomLib(each));
    return kept.length === lib.length || kept.length === 0 ? undefined : kept;
  }
  // Without `lib` TypeScript loads `lib.esX.full.d.ts`: that year's library and the DOM.
  const byDefault = ts.getDefaultLibFileName(target === undefined ? {} : { target });
  const plain =
    byDefault === "lib.d.ts"
      ? "lib.es5.d.ts"
      : byDefault.replace(".full.d.ts", ".d.ts").replace("lib.es6.", "lib.es2015.");
  return isLibFile(`${LIB_FOLDER}/${plain}`) ? [plain] : undefined;
}

let names: ReadonlySet<string> | undefined;

/** Every global name that the DOM libraries declare. */
export function domNames(): ReadonlySet<string> {
  if (names === undefined) {
    const found = new Set<string>();
    for (const lib of DOM_LIBS) {
      const text = libText(`${LIB_FOLDER}/lib.${lib}.d.ts`) ?? "";
      for (const [, name = ""] of text.matchAll(DECLARATION)) found.add(name);
    }
    names = found;
  }
  return names;
}

// The bundled text has no line breaks between declarations. A name too many only loads the library once too often.
const DECLARATION =
  /(?:^|[;}\n])\s*(?:declare\s+)?(?:interface|type|var|let|const|function|class|abstract\s+class|namespace|enum)\s+([\w$]+)/g;

function needsDom(program: ts.Program): boolean {
  const files = program.getSourceFiles().filter((file) => !file.fileName.startsWith(`${LIB_FOLDER}/`));
  const all = domNames();
  return files.some((file) => {
    const mentioned = mentionedNames(file, all);
    if (mentioned.size === 0) return false;
    return declaresGlobal(file, mentioned) || refersToDom(file, mentioned, program);
  });
}

/** The DOM's names among the identifiers of a file, whatever they stand for there. */
function mentionedNames(file: ts.SourceFile, all: ReadonlySet<string>): ReadonlySet<string> {
  const { identifiers } = file as { identifiers?: ReadonlyMap<string, string> };
  if (identifiers === undefined) return all;
  return new Set([...identifiers.keys()].filter((name) => all.has(name)));
}

/** Whether a file declares one of the names globally: the DOM's declaration would merge with it. */
function declaresGlobal(file: ts.SourceFile, mentioned: ReadonlySet<string>): boolean {
  const declares = (statements: readonly ts.Statement[]): boolean =>
    statements.some((statement) => {
      if (ts.isModuleDeclaration(statement) && statement.flags & ts.NodeFlags.GlobalAugmentation) {
        return statement.body !== undefined && ts.isModuleBlock(statement.body) && mentions(statement.body.statements);
      }
      return ts.isModuleDeclaration(statement) && statement.body !== undefined && ts.isModuleBlock(statement.body)
        ? declares(statement.body.statements)
        : false;
    });
  const mentions = (statements: readonly ts.Statement[]): boolean =>
    statements.some((statement) => declaredNames(statement).some((name) => mentioned.has(name)));
  return (!ts.isExternalModule(file) && mentions(file.statements)) || declares(file.statements);
}

function declaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  }
  const { name } = statement as { name?: ts.Node };
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
}

type ResolveName = (
  name: string,
  location: ts.Node,
  meaning: ts.SymbolFlags,
  excludeGlobals: boolean,
) => ts.Symbol | undefined;

/** Whether some identifier refers to a name that only the DOM declares, or that it would merge with. */
function refersToDom(file: ts.SourceFile, mentioned: ReadonlySet<string>, program: ts.Program): boolean {
  const references: ts.Identifier[] = [];
  const visit = (node: ts.Node, parent: ts.Node): void => {
    if (!ts.isIdentifier(node)) ts.forEachChild(node, (child) => visit(child, node));
    else if (mentioned.has(node.text) && isReference(node, parent)) references.push(node);
  };
  ts.forEachChild(file, (node) => visit(node, file));
  if (references.length === 0) return false;
  const checker = program.getTypeChecker() as ts.TypeChecker & { resolveName?: ResolveName };
  return references.some((node) => {
    const symbol = checker.resolveName?.(node.text, node, EVERYTHING, false);
    return symbol === undefined || symbol.declarations?.some((declaration) => isOfLib(declaration)) === true;
  });
}

const EVERYTHING = ts.SymbolFlags.Value | ts.SymbolFlags.Type | ts.SymbolFlags.Namespace | ts.SymbolFlags.Alias;

function isOfLib(node: ts.Node): boolean {
  return node.getSourceFile().fileName.startsWith(`${LIB_FOLDER}/`);
}

/** Not the name of a property or a member, nor that of the declaration itself. */
function isReference(node: ts.Identifier, parent: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isQualifiedName(parent)) return parent.left === node;
  if (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isPropertyDeclaration(parent)) {
    return parent.name !== node;
  }
  if (ts.isMethodSignature(parent) || ts.isMethodDeclaration(parent) || ts.isEnumMember(parent))
    return parent.name !== node;
  if (ts.isAccessor(parent) || ts.isNamedTupleMember(parent) || ts.isParameter(parent)) return parent.name !== node;
  return true;
}
