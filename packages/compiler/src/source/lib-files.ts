import { getLibFiles, ts } from "@ts-morph/common";

/** The folder, not on disk, that TypeScript's own declarations are read from. */
export const LIB_FOLDER = "/node_modules/typescript/lib";

let files: ReadonlyMap<string, string> | undefined;

/** Text of the bundled declarations (`lib.es5.d.ts`, …) by path. */
export function libFiles(): ReadonlyMap<string, string> {
  files ??= new Map(getLibFiles().map(({ fileName, text }) => [`${LIB_FOLDER}/${fileName}`, text]));
  return files;
}

const parsed = new Map<string, ts.SourceFile>();

/**
 * A bundled declaration file, parsed once a process. Its JSDoc is left unparsed: schemas never quote the
 * library's own comments, and they are half of its text.
 */
export function libSourceFile(path: string, options: ts.CreateSourceFileOptions): ts.SourceFile | undefined {
  const text = libFiles().get(path);
  if (text === undefined) return undefined;
  const key = `${options.languageVersion}:${path}`;
  let file = parsed.get(key);
  if (file === undefined) {
    file = ts.createSourceFile(path, text, { ...options, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }, false);
    parsed.set(key, file);
  }
  return file;
}
