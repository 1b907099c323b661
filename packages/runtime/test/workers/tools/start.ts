/** Imported with the extension that the built file has, as TypeScript projects do. */
export const readStart = (): number => 21;
