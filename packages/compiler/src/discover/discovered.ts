import type { ts } from "@ts-morph/common";

/** How a tool is to be run: JSDoc tags and options of the same name. */
export const TOOL_TAGS = ["once", "worker", "sequential", "requiresApproval"] as const;
export type ToolTag = (typeof TOOL_TAGS)[number];

/** A function that is to become a tool. */
export interface DiscoveredTool {
  readonly kind: "tool";
  readonly name: string;
  readonly file: ts.SourceFile;
  /** `add`, `Service.run`, `Service#run`. */
  readonly exportPath: string;
  /** The declaration that carries the JSDoc, and that problems of the tool as a whole point at. */
  readonly node: ts.Node;
  /** The expression or declaration whose type is called. */
  readonly callable: ts.Node;
  /** What `tool({ … }, fn)` says in place of the JSDoc. */
  readonly description: string | undefined;
  /** What `tool({ … }, fn)` says beside tags such as `@once`. */
  readonly marks: readonly ToolTag[];
  /** Where the name was given, for problems about it. */
  readonly nameNode: ts.Node;
}

/** A type that is to become a structured-output format. */
export interface DiscoveredSchema {
  readonly kind: "schema";
  readonly name: string;
  readonly file: ts.SourceFile;
  readonly exportPath: string;
  readonly node: ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration | ts.EnumDeclaration;
}

/** A workflow, for its input type. */
export interface DiscoveredWorkflow {
  readonly kind: "workflow";
  readonly name: string;
  readonly file: ts.SourceFile;
  readonly exportPath: string | undefined;
  readonly node: ts.Node;
  /** Where the name stands, for problems about it. */
  readonly nameNode: ts.Node;
  /** The type argument of `WorkflowContext<Input>`, as type and as written. */
  readonly input: { readonly type: ts.Type; readonly written: ts.TypeNode | undefined } | undefined;
}
