/** Written by the build (`build/build-inspector.mjs`): the files of the page, made of `src/inspector`. */
declare module "#inspector" {
  export const files: {
    readonly [name: string]: { readonly type: string; readonly etag: string; readonly text: string };
  };
}
