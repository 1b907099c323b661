const MOST_CHARACTERS = 80;

/** A value in a message: short JSON, whatever it is. Never throws. */
export function showValue(value: unknown): string {
  if (value === undefined) return "nothing";
  let text: string;
  try {
    text = JSON.stringify(value) ?? typeof value;
  } catch {
    text = Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
  }
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}… (${text.length} characters)`;
}
