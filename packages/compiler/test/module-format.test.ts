import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { isCommonJs } from "../src/manifest/is-common-js.js";
import { moduleFormat } from "../src/source/module-format.js";
import { makeProject } from "./doubles/command.js";

test.each([
  [undefined, "esm"],
  [ts.ModuleKind.ES2015, "esm"],
  [ts.ModuleKind.ESNext, "esm"],
  [ts.ModuleKind.Preserve, "esm"],
  [ts.ModuleKind.CommonJS, "commonjs"],
  [ts.ModuleKind.Node16, "by-package"],
  [ts.ModuleKind.NodeNext, "by-package"],
] as const)("moduleFormat() of module %s is %s", (module, expected) => {
  expect(moduleFormat(module === undefined ? {} : { module })).toBe(expected);
});

test("isCommonJs() asks the nearest package.json where that decides", () => {
  const cwd = makeProject({
    "package.json": '{"type":"module"}',
    "old/package.json": '{"name":"old"}',
    "old/src/x.ts": "",
    "src/x.ts": "",
  });
  expect(isCommonJs("by-package", join(cwd, "src"))).toBe(false);
  expect(isCommonJs("by-package", join(cwd, "old/src"))).toBe(true);
  expect(isCommonJs("esm", join(cwd, "old/src"))).toBe(false);
  expect(isCommonJs("commonjs", join(cwd, "src"))).toBe(true);
});
