export function buildTypeScript(outDir: string): Promise<void>;
