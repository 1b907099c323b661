export function buildCommand(outDir: string): Promise<void>;
