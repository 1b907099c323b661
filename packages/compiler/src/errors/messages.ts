// Every message of the compiler: one function a code. What is wrong and why, then what to write instead.
import type { UnresolvedName } from "../checker/checker.js";
import type { Location, Problem } from "./problem.js";

/** A message without its place: whoever reports it knows where. */
export interface Fault {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export const error = (code: string, message: string, hint: string): Fault => ({
  severity: "error",
  code,
  message,
  hint,
});
export const warning = (code: string, message: string, hint: string): Fault => ({
  severity: "warning",
  code,
  message,
  hint,
});

// Types without a JSON form

export const functionMember = (type: string) =>
  error(
    "function-member",
    `${type} is a function; a model cannot send one`,
    "remove it, or take it from a ToolContext parameter, which the runtime fills in and the schema leaves out",
  );

export const methodMember = (name: string) =>
  error(
    "method-member",
    `the method ${name}() makes this type a service, not data; a model cannot send one`,
    "use a type that has only the data, for example Omit<…> without its methods",
  );

export const callbackParameter = (type: string) =>
  error(
    "callback-parameter",
    `the parameter is a function, ${type}; a model cannot send one`,
    "return the value instead, or report progress through a ToolContext parameter",
  );

export const symbolType = () =>
  error("symbol", "a symbol has no JSON form", "use a string, or a union of string literals");

export const symbolKey = (name: string) =>
  error("symbol-key", `the key ${name} is a symbol; JSON keys are strings`, "use a string key, or remove the member");

export const never = (type: string) =>
  error(
    "never",
    `no value can satisfy this type: it comes to ${type}`,
    "correct the type, or make the member optional",
  );

export const undefinedValue = () =>
  error("undefined-value", "JSON has no undefined, and nothing else is allowed here", "use null, or remove it");

export const noJsonForm = (type: string, instead: string) => error("no-json-form", `${type} has no JSON form`, instead);

export const classInstance = (name: string, because: string) =>
  error(
    "class-instance",
    `${name} is a class with ${because}; no JSON value is an instance of it`,
    "use an interface with the data, and make the instance inside the function",
  );

export const restNotLast = () =>
  error(
    "rest-not-last",
    "a tuple whose rest element is not its last cannot be said in JSON Schema",
    "put the rest element last, or use an object with one property for each part",
  );

export const infiniteExpansion = (name: string) =>
  error(
    "infinite-expansion",
    `${name} contains itself with type arguments that grow at every level, so it has no finite schema`,
    "let the type refer to itself with the same type arguments",
  );

export const tooDeep = (limit: number) =>
  error(
    "too-deep",
    `the type nests deeper than ${limit} levels`,
    "flatten the type, or let it refer to itself by name",
  );

export const tooLarge = (limit: number) =>
  error(
    "too-large",
    `the type has more than ${limit} distinct parts`,
    "choose the members that the model needs, for example with Pick<…>",
  );

export const generic = (name: string) =>
  error(
    "generic",
    `${name} is a free type parameter: at a tool call nobody says what it stands for`,
    "give it a constraint (T extends …), or use a concrete type",
  );

export const intersectionConflict = (name: string) =>
  error(
    "intersection-conflict",
    `the property ${name} of one part of the intersection does not fit the index signature of another`,
    "write one object type in place of the intersection",
  );

export const openIndexNever = (name: string) =>
  error(
    "never",
    `${name} must be absent, which an object that takes any key cannot say`,
    "remove the member or the index signature",
  );

export const unmappedIntersection = (type: string) =>
  error("intersection", `the intersection ${type} has no single JSON form`, "write the resulting type out");

// Names that mean nothing

export const unresolvedImport = (name: string, module: string) =>
  error(
    "unresolved-import",
    `${name} comes from "${module}", which cannot be found or does not export it`,
    "correct the import, generate the file, or install the package; a type that is really free is written any",
  );

export const unresolvedName = (name: string) =>
  error(
    "unresolved-name",
    `the name ${name} is not declared`,
    "declare or import it, or add its library to the tsconfig",
  );

export const namespaceAsType = (name: string) =>
  error(
    "namespace-as-type",
    `${name} is a namespace, not a type`,
    `name a type inside it (${name}.…), or write typeof ${name} for the type of its values`,
  );

export const valueAsType = (name: string) =>
  error("value-as-type", `${name} is a value, not a type`, `write typeof ${name} for its type`);

/** For a name that means nothing: no type at all, imported in vain, or never declared. */
export const unresolved = ({ name, module, instead }: Pick<UnresolvedName, "name" | "module" | "instead">) => {
  if (instead !== undefined) return instead === "namespace" ? namespaceAsType(name) : valueAsType(name);
  return module === undefined ? unresolvedName(name) : unresolvedImport(name, module);
};

// Parameters

export const untypedParameter = (name: string) =>
  error(
    "untyped-parameter",
    `the parameter ${name} has no type`,
    "write its type; unknown if it really takes anything",
  );

export const thisParameter = () =>
  error(
    "this-parameter",
    "the function declares a this, which the runtime does not have",
    "take the object as a parameter of a factory, or write a method of a class and bind its instance",
  );

export const overloads = (count: number) =>
  error(
    "overloads",
    `the function has ${count} overloads, but a tool has one input`,
    "keep one signature, or export one function for each",
  );

export const nameCollision = (name: string) =>
  error(
    "name-collision",
    `two parameters would give the arguments object a property ${name}`,
    "rename one, or take one parameter that holds both",
  );

export const destructuredTuple = () =>
  error(
    "destructured-tuple",
    "an array pattern gives the parameter no name, and the arguments object needs one",
    "name the parameter and take it apart inside the function",
  );

export const destructuredDefault = () =>
  error(
    "destructured-default",
    "the default stands for the whole pattern, but the model sends its members one by one",
    "give the members defaults and the pattern the default {}, or name the parameter",
  );

export const restParameter = (name: string) =>
  warning(
    "rest-parameter",
    `the rest parameter ${name} is left out of the schema`,
    "take an array parameter if the model should fill it",
  );

export const unknownParameterDoc = (name: string) =>
  warning("unknown-param", `@param ${name} names no parameter or member`, "correct the name, or remove the tag");

// JSDoc tags

export const constraintType = (tag: string, found: string) =>
  error(
    "constraint-type",
    `@${tag} does not fit a type that is ${found} in JSON`,
    "remove the tag, or correct the type",
  );

export const constraintValue = (tag: string, text: string, wanted: string) =>
  error(
    "constraint-value",
    `@${tag} takes ${wanted}, not ${text === "" ? "nothing" : `"${text}"`}`,
    `write @${tag} with ${wanted}`,
  );

export const defaultValue = (value: string, why: string) =>
  error("default-value", `the default ${value} does not fit the type: ${why}`, "correct the default, or the type");

/** What is wrong with a tag in the declarations of a dependency, which the author cannot mend: the tag is left out. */
export const foreignTag = ({ code, message }: Fault) =>
  warning(code, `${message}; the tag is left out`, "nothing to do: the declaration is a dependency's");

// Open and lossy types

export const anyType = (written: string) =>
  warning(
    "any-type",
    `${written} takes any JSON value: the model is told nothing, and strict modes refuse it`,
    "write the type that the function needs",
  );

export const openObject = (type: string) =>
  warning("open-object", `${type} takes an object with any keys`, "name its members, or use Record<string, …>");

export const codecShadowed = (type: string, plain: string) =>
  warning(
    "codec-shadowed",
    `the JSON form of ${type} is also taken by ${plain}, so the function always gets the plain value`,
    `leave one of the two out of the union`,
  );

export const returnWithoutJson = (why: string) =>
  warning("return-without-json", `the return type is not described to anyone: ${why}`, "return plain data");

// Tools

export const missingDescription = (kind: string, { strict }: { strict: boolean }) =>
  (strict ? error : warning)(
    "missing-description",
    `the ${kind} has no description; models choose by it`,
    "write a JSDoc comment above it",
  );

export const toolName = (name: string, suggestion: string) =>
  error(
    "tool-name",
    `"${name}" is no name that every provider takes (a letter or _ first, then letters, digits, _ or -, 64 in all)`,
    `rename it with the tag @tool ${suggestion}`,
  );

export const duplicateToolName = (name: string) =>
  error("duplicate-tool-name", `another tool is called ${name} too`, "rename one with @tool other_name");

export const duplicateSchemaName = (kind: string, name: string) =>
  error(`duplicate-${kind}-name`, `another ${kind} is called ${name} too`, `rename one of them`);

export const notExported = (name: string, tag: string) =>
  error("not-exported", `${name} is marked @${tag} but not exported, so nobody can bind it`, "export it");

export const notPublic = (name: string, why: string) =>
  error(
    "not-public",
    `${name} is marked @tool but ${why}, so nobody can bind it`,
    "make it public, with a name that is written out, or remove the tag",
  );

export const notATool = (name: string) =>
  error("not-a-function", `${name} is marked @tool but is not a function`, "move the tag to a function or a method");

export const notASchema = (name: string) =>
  error(
    "not-a-type",
    `${name} is marked @schema but is no type`,
    "move the tag to an interface, a type alias, an enum or a class",
  );

export const toolOption = (option: string) =>
  error(
    "tool-option",
    `the option ${option} must be readable from the source, and this one is computed`,
    "write a literal, or the name of a constant that holds one",
  );

export const toolOptions = (called: string) =>
  error(
    "tool-option",
    `the options of ${called} must be readable from the source, and these may hold more than is written there`,
    "write each option in the call itself, or spread a constant that is an object literal",
  );

export const toolNested = (called: string) =>
  error(
    "tool-option",
    `the options of ${called} are not read where its call stands inside of another expression`,
    "export what it gives, or say the same by JSDoc tags such as @requiresApproval beside @tool",
  );

export const genericSchema = (name: string) =>
  error("generic-schema", `${name} has type parameters, so it is no single schema`, "mark an alias that fills them in");

// Project

export const syntaxError = (text: string) => error("syntax-error", text.replace(/\.$/, ""), "correct the syntax");

/** The tsconfig was not found. */
export const tsconfigMissing = (path: string): Problem => ({
  ...error(
    "tsconfig-missing",
    `there is no ${path} here or in a folder above`,
    "create one (callsignc init does), or name it with --project",
  ),
});

/** The tsconfig, or one that it extends, cannot be read as it stands. */
export const tsconfigProblem = (
  text: string,
  { fatal, location }: { fatal: boolean; location: Location },
): Problem => ({
  ...(fatal ? error : warning)("tsconfig", text.replace(/\.$/, ""), "correct the tsconfig"),
  location,
});

/** A file of the project, or the tsconfig, cannot be read. */
export const fileUnreadable = (path: string, reason: string): Problem => ({
  ...error(
    "file-unreadable",
    `${path} cannot be read: ${reason}`,
    "make it readable, or leave it out by the tsconfig's files, include or exclude",
  ),
});

/** The tsconfig names no file. */
export const noSourceFiles = (config: string, references: readonly string[]): Problem => ({
  ...error(
    "no-source-files",
    `${config} names no source file`,
    references.length > 0
      ? `it refers to other projects: name one of them with --project (${references.join(", ")})`
      : "add the sources to its include or files",
  ),
});

/** The globs of `entries` mean no file of the project. */
export const noEntries = (globs: readonly string[], config: string): Problem => ({
  ...error(
    "no-entries",
    `no source file of ${config} is meant by entries (${globs.join(", ")})`,
    "correct the globs, which are relative to the folder of the configuration, or add the files to the tsconfig",
  ),
});

/** No tool, schema or workflow was found. */
export const noTools = (): Problem => ({
  ...warning(
    "no-tools",
    "no tool, schema or workflow was found",
    "mark an exported function with a JSDoc @tool tag, or an exported type with @schema",
  ),
});
