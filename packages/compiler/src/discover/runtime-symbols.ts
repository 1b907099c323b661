import { ts } from "@ts-morph/common";

/** Names that the compiler recognises when `@callsign/runtime` declares or exports them. */
export type RuntimeName = "tool" | "task" | "workflow" | "ToolContext" | "WorkflowContext";

const PACKAGE = "@callsign/runtime";

/** Tells what comes from the runtime, by declaration or by the import that names it; never by the bare name. */
export class RuntimeSymbols {
  readonly #checker: ts.TypeChecker;
  readonly #packages = new Map<string, boolean>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** The runtime function that a call calls. */
  calledBy(call: ts.CallExpression): RuntimeName | undefined {
    const callee = call.expression;
    if (!ts.isIdentifier(callee) && !ts.isPropertyAccessExpression(callee)) return undefined;
    const symbol = this.#checker.getSymbolAtLocation(ts.isIdentifier(callee) ? callee : callee.name);
    const name = symbol === undefined ? undefined : this.nameOf(symbol);
    if (name !== undefined) return name;
    // `import * as callsign from "@callsign/runtime"`, not resolvable: the specifier says it.
    if (ts.isPropertyAccessExpression(callee) && symbol === undefined) {
      const left = this.#checker.getSymbolAtLocation(callee.expression);
      return left !== undefined && importedFrom(left) === PACKAGE ? asRuntimeName(callee.name.text) : undefined;
    }
    return undefined;
  }

  /** The runtime's name for a symbol. */
  nameOf(symbol: ts.Symbol): RuntimeName | undefined {
    if (symbol.flags & ts.SymbolFlags.Alias) {
      const target = this.#checker.getAliasedSymbol(symbol);
      if (this.#checker.isUnknownSymbol(target)) {
        const specifier = symbol.declarations?.find(ts.isImportSpecifier);
        if (specifier === undefined || importedFrom(symbol) !== PACKAGE) return undefined;
        return asRuntimeName((specifier.propertyName ?? specifier.name).text);
      }
      return this.nameOf(target);
    }
    const file = symbol.declarations?.[0]?.getSourceFile();
    return file !== undefined && this.#isRuntimeFile(file.fileName) ? asRuntimeName(symbol.name) : undefined;
  }

  #isRuntimeFile(path: string): boolean {
    if (path.includes(`/node_modules/${PACKAGE}/`)) return true;
    const folder = path.slice(0, path.lastIndexOf("/"));
    let known = this.#packages.get(folder);
    if (known === undefined) {
      const found = ts.findConfigFile(folder, ts.sys.fileExists, "package.json");
      const text = found === undefined ? undefined : ts.sys.readFile(found);
      known = text !== undefined && /"name"\s*:\s*"@callsign\/runtime"/.test(text);
      this.#packages.set(folder, known);
    }
    return known;
  }
}

function asRuntimeName(name: string): RuntimeName | undefined {
  return ["tool", "task", "workflow", "ToolContext", "WorkflowContext"].includes(name)
    ? (name as RuntimeName)
    : undefined;
}

function importedFrom(symbol: ts.Symbol): string | undefined {
  for (let node: ts.Node | undefined = symbol.declarations?.[0]; node !== undefined; node = node.parent) {
    if (ts.isImportDeclaration(node)) return (node.moduleSpecifier as ts.StringLiteral).text;
  }
  return undefined;
}
