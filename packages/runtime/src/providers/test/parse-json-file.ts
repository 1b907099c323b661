/** The JSON of a file that people edit: some editors begin it with a mark of the byte order. */
export function parseJsonFile(text: string): unknown {
  return JSON.parse(text.replace(/^\uFEFF/, ""));
}
