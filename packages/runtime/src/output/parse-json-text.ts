const FENCED = /(`{3,}|~{3,})[ \t]*(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n\1/;

/** The JSON value that a model's answer holds: the whole text, or what stands in its one code fence. */
export function parseJsonText(text: string): { readonly value: unknown } | undefined {
  for (const candidate of [text.trim(), FENCED.exec(text)?.[2]]) {
    if (candidate === undefined || candidate === "") continue;
    try {
      return { value: JSON.parse(candidate) };
    } catch {
      // The next candidate may be JSON.
    }
  }
  return undefined;
}
