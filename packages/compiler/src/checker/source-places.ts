import { ts } from "@ts-morph/common";
import type { Location } from "../errors/problem.js";
import { LIB_FOLDER } from "../source/lib-files.js";
import { relativeTo } from "../source/open-project.js";

/** Turns nodes into locations, and says to whom a file belongs. */
export class SourcePlaces {
  readonly #program: ts.Program;
  readonly #root: string;
  readonly #library = new Map<ts.SourceFile, boolean>();
  readonly #relative = new Map<ts.SourceFile, string>();
  readonly #package = new Map<ts.SourceFile, string | undefined>();

  constructor(program: ts.Program, root: string) {
    this.#program = program;
    this.#root = root;
  }

  /** The place of a node in a file that the author can edit. */
  location(node: ts.Node): Location | undefined {
    const file = node.getSourceFile();
    return this.isEditable(file) ? this.#locate(node, file) : undefined;
  }

  /** The place of a node in any file on disk. */
  foreignLocation(node: ts.Node): Location | undefined {
    const file = node.getSourceFile();
    return file.fileName.startsWith(`${LIB_FOLDER}/`) ? undefined : this.#locate(node, file);
  }

  /** Neither a library nor a dependency. */
  isEditable(file: ts.SourceFile): boolean {
    return !this.isLibrary(file) && this.packageOf(file) === undefined;
  }

  /** TypeScript's own declarations and those of the platform (`@types/node` and its like). */
  isLibrary(file: ts.SourceFile): boolean {
    let library = this.#library.get(file);
    if (library === undefined) {
      library =
        file.fileName.startsWith(`${LIB_FOLDER}/`) ||
        this.#program.isSourceFileDefaultLibrary(file) ||
        PLATFORM.test(file.fileName);
      this.#library.set(file, library);
    }
    return library;
  }

  /** The name of the installed package that a file belongs to; undefined for the project's own files. */
  packageOf(file: ts.SourceFile): string | undefined {
    if (!this.#package.has(file)) {
      const match = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file.fileName);
      this.#package.set(file, match?.[1]);
    }
    return this.#package.get(file);
  }

  /** The path of a file relative to the project root. */
  relative(file: ts.SourceFile): string {
    let path = this.#relative.get(file);
    if (path === undefined) {
      path = relativeTo(this.#root, file.fileName);
      this.#relative.set(file, path);
    }
    return path;
  }

  #locate(node: ts.Node, file: ts.SourceFile): Location {
    const start = node.getStart(file, false);
    return this.rangeLocation(file, { start, length: node.getEnd() - start });
  }

  /** A stretch of text, clipped to the end of its first line. */
  rangeLocation(file: ts.SourceFile, { start, length }: { start: number; length: number }): Location {
    const { line, character } = ts.getLineAndCharacterOfPosition(file, start);
    return {
      file: this.relative(file),
      line: line + 1,
      column: character + 1,
      length: Math.max(1, Math.min(start + length, endOfLine(file.text, start)) - start),
    };
  }
}

const PLATFORM =
  /\/node_modules\/(?:@types\/(?:node|bun|deno)|bun-types|undici-types|@cloudflare\/workers-types|buffer)\//;

function endOfLine(text: string, from: number): number {
  const at = text.slice(from).search(/\r?\n/);
  return at < 0 ? text.length : from + at;
}
