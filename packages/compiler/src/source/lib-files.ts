import { getLibFiles, ts } from "@ts-morph/common";

/** The folder, not on disk, that TypeScript's own declarations are read from. */
export const LIB_FOLDER = "/node_modules/typescript/lib";

let files: ReadonlyMap<string, { readonly text: string }> | undefined;

function libFiles() {
  files ??= new Map(getLibFiles().map((file) => [`${LIB_FOLDER}/${file.fileName}`, file]));
  return files;
}

/** Whether a path is that of a bundled declaration file (`lib.es5.d.ts`, …). */
export function isLibFile(path: string): boolean {
  return libFiles().has(path);
}

/** The text of a bundled declaration file; undefined for any other path. */
export function libText(path: string): string | undefined {
  // Not destructured before it is asked for: in the built package each text is read from its own file.
  return libFiles().get(path)?.text;
}

const parsed = new Map<string, ts.SourceFile>();

/**
 * A bundled declaration file, parsed once a process. Its JSDoc is left unparsed: schemas never quote the
 * library's own comments, and they are half of its text.
 */
export function libSourceFile(path: string, options: ts.CreateSourceFileOptions): ts.SourceFile | undefined {
  const key = `${options.languageVersion}:${path}`;
  let file = parsed.get(key);
  if (file === undefined) {
    const text = libText(path);
    if (text === undefined) return undefined;
    file = ts.createSourceFile(path, text, { ...options, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }, false);
    parsed.set(key, file);
  }
  return file;
}
