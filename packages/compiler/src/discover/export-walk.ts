import { ts } from "@ts-morph/common";
import type { Project } from "../source/open-project.js";

/** One export of a file, with the symbol behind it. */
export interface ExportedSymbol {
  readonly name: string;
  readonly symbol: ts.Symbol;
}

/** The exports of a file, aliases followed, in declaration order of their names. */
export function exportsOf(file: ts.SourceFile, checker: ts.TypeChecker): readonly ExportedSymbol[] {
  const module = checker.getSymbolAtLocation(file);
  if (module === undefined) return [];
  return checker.getExportsOfModule(module).map((exported) => ({
    name: exported.name,
    symbol: exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported,
  }));
}

/** The module and export name under which a symbol is known: where it is declared, else where it is passed on. */
export class ExportIdentity {
  readonly #homes = new Map<ts.Symbol, { file: ts.SourceFile; name: string }>();

  constructor(files: readonly ts.SourceFile[], { checker }: Pick<Project, "checker">) {
    for (const file of files) {
      for (const { name, symbol } of exportsOf(file, checker)) {
        const home = this.#homes.get(symbol);
        const declaredHere = symbol.declarations?.some((declaration) => declaration.getSourceFile() === file) === true;
        const homeIsDeclaration =
          home !== undefined &&
          symbol.declarations?.some((declaration) => declaration.getSourceFile() === home.file) === true;
        if (home === undefined || (declaredHere && !homeIsDeclaration)) this.#homes.set(symbol, { file, name });
      }
    }
  }

  /** Every exported symbol once, by file and then in export order. */
  all(): readonly { readonly symbol: ts.Symbol; readonly file: ts.SourceFile; readonly name: string }[] {
    return [...this.#homes]
      .map(([symbol, home]) => ({ symbol, ...home }))
      .sort((a, b) => (a.file.fileName < b.file.fileName ? -1 : a.file.fileName > b.file.fileName ? 1 : 0));
  }
}
