/** A text of a model or a server as it may be shown on a terminal: what it holds cannot move the cursor or change colours. */
export function withoutControls(text: string): string {
  return text.replaceAll(/(?![\n\t])\p{Cc}/gu, "");
}
