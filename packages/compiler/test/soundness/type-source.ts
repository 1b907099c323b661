import type { Json } from "@callsign/runtime/manifest";
import fc from "fast-check";

/**
 * A type as TypeScript source, with what the test needs to judge it by the checker alone.
 *
 * `oracle` is the same type after the rewrites that the documentation names, and no others; `good` are a few values
 * meant to be assignable. Scalars come from one pool (below), so that a codec's encoded form or a constrained number
 * can be said to the checker as a union of the members of the pool that satisfy it.
 */
export interface TypeSource {
  readonly source: string;
  readonly oracle: string;
  /** Top-level alternatives of `oracle`: a value is right when it is assignable to one of them. */
  readonly oracleBranches?: readonly string[];
  readonly good: readonly Json[];
  /** Declarations that both texts need, or each its own. */
  readonly declarations: readonly Declaration[];
  readonly depth: number;
  /** Whether the type has no JSON form, so that an error is the only right answer. */
  readonly refused: boolean;
  /** The alternatives of a union. */
  readonly branches?: readonly TypeSource[];
  /** The keys of an object type without index signatures; undefined for anything else. */
  readonly keys?: readonly string[];
  /** Whether some member is absent by its type alone (`x: undefined`), which a mapped type would change. */
  readonly undefinedMembers?: boolean;
  /** Whether it is an object type that takes any key. */
  readonly open?: boolean;
  /** A set somewhere inside: arrays with equal elements are no fair test for the checker then. */
  readonly unique?: boolean;
}

export interface Declaration {
  readonly source: string;
  readonly oracle: string;
}

export const STRINGS = [
  ...["", "a", "b", "on", "off", "red", "green", "user-1", "user-", "User-1", "v1", "v1.5", "v-2", "vx", "x-s", "y-m"],
  ...["12", "-5", "1.5", "A", "ABC", "abc", "Abc", "a-b-1", "a-1", "data-x", "é", "2026-01-02T03:04:05Z"],
  ...["2026-01-02", "https://example.com/a", "mail@example.com", "not a uri", "aGVsbG8="],
] as const;
export const NUMBERS = [0, 1, 2, 3, 10, 42, -1, -7, 1.5, 0.25, 151, 9007199254740991] as const;
export const KEYS = [
  "a",
  "b",
  "kind",
  "id",
  "1",
  "12",
  "1.5",
  "data-x",
  "data-y",
  "x y",
  "constructor",
  "__proto__",
  "$ref",
  "",
] as const;

const text = (value: Json): string => JSON.stringify(value);
const union = (values: readonly Json[]): string => (values.length === 0 ? "never" : values.map(text).join(" | "));

function leaf(source: string, good: readonly Json[], oracle = source): TypeSource {
  return { source, oracle, good, declarations: [], depth: 0, refused: false };
}

const literal = fc
  .constantFrom<Json>(...STRINGS.slice(0, 20), ...NUMBERS, true, false, null)
  .map((value) => leaf(text(value), [value]));

const primitive = fc.constantFrom(
  leaf("string", ["a", "red", ""]),
  leaf("number", [0, 1.5, -7]),
  leaf("boolean", [true, false]),
  leaf("null", [null]),
);

const DATES = STRINGS.filter((value) => /^\d{4}-\d\d-\d\dT/.test(value));
const URIS = STRINGS.filter((value) => /^[a-z]+:/.test(value));
const INTEGERS = STRINGS.filter((value) => /^-?\d+$/.test(value));
const codec = fc.constantFrom(
  leaf("Date", DATES, union(DATES)),
  leaf("URL", URIS, union(URIS)),
  leaf("bigint", INTEGERS, union(INTEGERS)),
  leaf("12n", ["12"], '"12"'),
  leaf("Uint8Array", ["aGVsbG8="], "string"),
);

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: source text of template literal types
const template = fc.constantFrom(
  leaf("`user-${string}`", ["user-1", "user-"]),
  leaf("`v${number}`", ["v1", "v1.5", "v-2"]),
  leaf("`${number}`", ["12", "-5", "1.5"]),
  leaf("`${string}-${string}`", ["user-1", "a-b-1", "x-s"]),
  leaf("`${string}-${number}`", ["a-1", "user-1"]),
  leaf("`${'x' | 'y'}-${'s' | 'm'}`", ["x-s", "y-m"]),
  leaf("`${bigint}`", ["12", "-5"]),
  leaf("`${Lowercase<string>}-1`", ["user-1", "a-1"]),
  leaf("`${string}${number}`", ["v1", "12"]),
  leaf("`${boolean}`", []),
);
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: end of the source texts

const mapping = fc.constantFrom(
  leaf("Uppercase<string>", ["A", "ABC", "12"]),
  leaf("Lowercase<string>", ["a", "abc", "é"]),
  leaf("Capitalize<string>", ["Abc", "ABC", ""]),
  leaf("Uncapitalize<string>", ["abc", "a"]),
);

const brand = fc.constantFrom(
  leaf('(string & { readonly __brand: "Id" })', ["a"], "string"),
  leaf("(number & { readonly [brand]: true })", [1], "number"),
  leaf('("a" | "b" | (string & {}))', ["a", "red"], "string"),
  leaf("(boolean & { readonly __flag?: 1 })", [true], "boolean"),
);

const enumeration = fc.constantFrom(
  leaf("Color", ["red", "green"], '"red" | "green"'),
  leaf("Color.Red", ["red"], '"red"'),
  leaf("Size", [0, 1, 10], "0 | 1 | 10"),
  leaf("Mixed", ["a", 2], '"a" | 2'),
);

const whole: TypeSource = leaf("{ readonly [key: string]: unknown }", [{}, { a: 1 }]);
const anyObject = fc.constantFrom<TypeSource>(
  { ...leaf("object", [{}, { a: [1] }], whole.oracle), open: true },
  { ...leaf("{}", [{}, { b: null }], whole.oracle), open: true },
  { ...leaf("Empty", [{}], whole.oracle), open: true },
);

const anything = fc.constantFrom(leaf("unknown", [1, "a", null, [], {}]), leaf("any", [1, "a", null], "unknown"));

const REFUSED = [
  ...["symbol", "never", "undefined", "RegExp", "WeakMap<object, string>", "Promise<string>", "(() => void)"],
  ...["((x: string) => number)", "Service", "Guarded", "Keyed", "Endless<string>", "[string, ...number[], boolean]"],
  ...[
    "Missing",
    "{ run(): void }",
    "{ f: () => void }",
    "ArrayBuffer",
    "Error",
    "Unique",
    "void",
    "Function",
    "typeof brand",
  ],
] as const;
const refused = fc
  .constantFrom(...REFUSED)
  .map((source): TypeSource => ({ ...leaf(source, [], "never"), refused: true }));

/** Declarations that every generated file starts with. */
export const PRELUDE = `
declare const brand: unique symbol;
type Unique = typeof brand;
enum Color { Red = "red", Green = "green" }
enum Size { Zero, One, Ten = 10 }
enum Mixed { A = "a", B = 2 }
interface Empty {}
interface Service { id: string; run(): void }
class Guarded { private secret = 1; id = "" }
interface Keyed { a: string; [brand]: number }
interface Endless<T> { value: T; next?: Endless<T[]> }
`;

function combine(parts: readonly TypeSource[]): Pick<TypeSource, "declarations" | "depth" | "refused" | "unique"> {
  return {
    declarations: parts.flatMap((part) => part.declarations),
    depth: 1 + Math.max(0, ...parts.map((part) => part.depth)),
    refused: parts.some((part) => part.refused),
    unique: parts.some((part) => part.unique === true),
  };
}

const paren = (source: string): string => (/^[\w.]+$/.test(source) ? source : `(${source})`);
const first = (type: TypeSource): Json | undefined => type.good[0];
const some = (type: TypeSource, index: number): Json | undefined => type.good[index % Math.max(1, type.good.length)];

function arrayOf(element: TypeSource, spelling: "[]" | "Array" | "readonly"): TypeSource {
  const inner = element.source;
  const source =
    spelling === "[]" ? `${paren(inner)}[]` : spelling === "Array" ? `Array<${inner}>` : `readonly ${paren(inner)}[]`;
  const good: Json[] = [
    [],
    ...(element.good.length > 0
      ? [[...element.good.slice(0, 3)], ...element.good.slice(0, 4).map((each) => [each])]
      : []),
  ];
  return { source, oracle: `${paren(element.oracle)}[]`, good, ...combine([element]) };
}

function setOf(element: TypeSource): TypeSource {
  return { ...arrayOf(element, "[]"), source: `Set<${element.source}>`, unique: true };
}

function mapOf(value: TypeSource, key: "string" | "number"): TypeSource {
  const sample = value.good.slice(0, 4);
  if (key === "string") {
    const good: Json[] = [{}, ...sample.map((each) => ({ a: each }))];
    return {
      source: `Map<string, ${value.source}>`,
      oracle: `{ [key: string]: ${value.oracle} }`,
      good,
      open: true,
      ...combine([value]),
    };
  }
  const good: Json[] = [[], ...sample.map((each): Json => [[1, each]])];
  return {
    source: `ReadonlyMap<number, ${value.source}>`,
    oracle: `[number, ${value.oracle}][]`,
    good,
    ...combine([value]),
  };
}

interface Slot {
  readonly type: TypeSource;
  readonly kind: "required" | "optional" | "rest";
}

function tupleOf(slots: readonly Slot[]): TypeSource {
  const order = { required: 0, optional: 1, rest: 2 };
  const sorted = [...slots].sort((a, b) => order[a.kind] - order[b.kind]);
  const kept = sorted.filter(
    (slot, index) => slot.kind !== "rest" || index === sorted.findIndex(({ kind }) => kind === "rest"),
  );
  const print = (of: (type: TypeSource) => string) =>
    `[${kept.map(({ type, kind }) => (kind === "rest" ? `...${paren(of(type))}[]` : `${paren(of(type))}${kind === "optional" ? "?" : ""}`)).join(", ")}]`;
  const required = kept.filter(({ kind }) => kind === "required");
  const values = kept.map(({ type }) => first(type));
  const full = values.every((value) => value !== undefined) ? [values as Json[]] : [];
  const short = required.map(({ type }) => first(type));
  const least = short.every((value) => value !== undefined) ? [short as Json[]] : [];
  return {
    source: print((type) => type.source),
    oracle: print((type) => type.oracle),
    good: [...full, ...least],
    ...combine(kept.map(({ type }) => type)),
  };
}

interface Member {
  readonly key: string;
  readonly type: TypeSource;
  readonly presence: "required" | "optional" | "undefined" | "method-like";
  readonly note: "" | "doc" | "readonly";
}

function objectOf(
  members: readonly Member[],
  spelling: "literal" | "interface" | "class" | "alias",
  id: number,
): TypeSource {
  const byKey = new Map(members.map(settled).map((member) => [member.key, member]));
  const kept = [...byKey.values()];
  const absent = kept.filter(mustBeAbsent);
  const optional = (member: Member) => member.presence !== "required" || absent.includes(member);
  const body = kept
    .map(({ key, type, presence, note }) => {
      const mark = presence === "optional" ? "?" : "";
      const written = presence === "undefined" ? `${paren(type.source)} | undefined` : type.source;
      return `${note === "doc" ? `/** About ${key.replace(/\W/g, "")}. */ ` : ""}${note === "readonly" ? "readonly " : ""}${text(key)}${mark}: ${written}`;
    })
    .join("; ");
  const oracle = `{ ${kept.map((member) => `${text(member.key)}${optional(member) ? "?" : ""}: ${member.type.oracle}`).join("; ")} }`;
  const entries = (from: readonly Member[], index: number): Json[] => {
    const values = from.map((member) => [member.key, some(member.type, index)] as const);
    return values.every(([, value]) => value !== undefined) ? [Object.fromEntries(values) as Json] : [];
  };
  const present = kept.filter((member) => !absent.includes(member));
  const good = [
    ...[0, 1, 2, 3, 4, 5].flatMap((index) => entries(present, index)),
    ...entries(
      kept.filter((member) => !optional(member)),
      0,
    ),
  ];
  const base = {
    oracle,
    good,
    ...combine(kept.map(({ type }) => type)),
    refused: present.some(({ type }) => type.refused),
    keys: kept.map(({ key }) => key),
    undefinedMembers: kept.some(({ type, presence }) => presence === "undefined" || ABSENT.has(type.source)),
  };
  if (kept.length === 0) return { ...leaf("{}", [{}], whole.oracle), open: true };
  if (spelling === "literal") return { source: `{ ${body} }`, ...base };
  const name = `N${id}`;
  // JavaScript does not let a class have a field of that name.
  if (spelling === "class" && byKey.has("constructor")) return { source: `{ ${body} }`, ...base };
  const declared =
    spelling === "interface"
      ? `interface ${name} { ${body} }`
      : spelling === "class"
        ? `class ${name} { ${kept.map(({ key, type, presence }) => `${text(key)}${presence === "optional" ? "?" : "!"}: ${type.source}${presence === "undefined" ? " | undefined" : ""}`).join("; ")} }`
        : `type ${name} = { ${body} };`;
  return { source: name, ...base, declarations: [...base.declarations, { source: declared, oracle: "" }] };
}

/** unknown swallows undefined, so that such a member is simply required. */
function settled(member: Member): Member {
  // To the checker every value has a constructor: it refuses {} where one of another type may be absent, and takes
  // anything where a function would do.
  if (member.key === "constructor" && !isScalar(member.type)) return { ...member, key: "kind", presence: "required" };
  const swallowed = member.presence === "undefined" && TOP.has(member.type.source);
  return swallowed || member.key === "constructor" ? { ...member, presence: "required" } : member;
}

const ABSENT = new Set(["undefined", "void"]);

function isScalar({ source, good }: TypeSource): boolean {
  return !TOP.has(source) && good.length > 0 && good.every((value) => typeof value !== "object" || value === null);
}

const TOP = new Set(["unknown", "any"]);

/** A member that can only be left out. */
function mustBeAbsent({ type, presence }: Member): boolean {
  return ABSENT.has(type.source) || (type.source === "never" && presence !== "required");
}

/** Constraint tags on a member: what they leave of the pool is what the checker is told. */
function constrainedMember(key: string, tag: (typeof TAGS)[number]): TypeSource {
  const [doc, base, pool, holds] = tag;
  const left = (pool as readonly Json[]).filter((value) => holds(value as never));
  return {
    source: `{ /** ${doc} */\n${text(key)}: ${base} }`,
    oracle: `{ ${text(key)}: ${union(left)} }`,
    good: left.slice(0, 3).map((value) => ({ [key]: value })),
    declarations: [],
    depth: 1,
    refused: false,
    keys: [key],
  };
}

const TAGS = [
  ["@minimum 1", "number", NUMBERS, (value: number) => value >= 1],
  ["@exclusiveMaximum 10", "number", NUMBERS, (value: number) => value < 10],
  ["@multipleOf 0.5", "number", NUMBERS, (value: number) => Number.isInteger(value / 0.5)],
  ["@asType integer", "number", NUMBERS, (value: number) => Number.isInteger(value)],
  ["@minLength 3", "string", STRINGS, (value: string) => [...value].length >= 3],
  ["@maxLength 2", "string", STRINGS, (value: string) => [...value].length <= 2],
  ["@pattern ^[a-z]+$", "string", STRINGS, (value: string) => /^[a-z]+$/.test(value)],
  ["@format email", "string", STRINGS, (value: string) => /^[^@ ]+@[^@ ]+$/.test(value)],
] as const;

function recordOf(value: TypeSource, form: "string" | "number" | "template" | "literals"): TypeSource {
  // Members that must be absent are the object's business.
  const key = form === "literals" && !isSolid(value) ? "string" : form;
  const sample = value.good.slice(0, 4);
  const object = (name: string): Json[] => sample.map((each) => ({ [name]: each }));
  const parts = combine([value]);
  switch (key) {
    case "string":
      return {
        source: `Record<string, ${value.source}>`,
        oracle: `{ [key: string]: ${value.oracle} }`,
        good: [{}, ...object("a")],
        open: true,
        ...parts,
        // An object without members, which JSON has.
        ...(value.source === "never" ? { refused: false } : {}),
      };
    case "number":
      // An array has numeric keys to the checker; a JSON object is meant.
      return {
        source: `{ [index: number]: ${value.source} }`,
        oracle: `({ [index: number]: ${value.oracle} } & { length?: never })`,
        good: [{}, ...object("12"), ...object("1.5")],
        ...parts,
      };
    case "template":
      return {
        source: `{ [key: \`data-\${string}\`]: ${value.source} }`,
        oracle: `{ [key: \`data-\${string}\`]: ${value.oracle} }`,
        good: [{}, ...object("data-x")],
        ...parts,
      };
    default:
      return {
        source: `Record<"a" | "kind", ${value.source}>`,
        oracle: `{ a: ${value.oracle}; kind: ${value.oracle} }`,
        good: sample.map((each) => ({ a: each, kind: each })),
        keys: ["a", "kind"],
        ...parts,
      };
  }
}

const NUMERIC = /^-?\d/;
const NO_INDEX = " & { readonly [index: number]: never; readonly length?: never }";

/** In a union no branch takes a key that is another's: each branch forbids the keys of the others. */
function unionOf(parts: readonly TypeSource[]): TypeSource | undefined {
  const branches = parts.flatMap((part) => part.branches ?? [part]);
  const top = branches.find((branch) => TOP.has(branch.source));
  if (top !== undefined) return branches.some((branch) => branch.refused) ? undefined : top;
  const objects = branches.filter((branch) => branch.keys !== undefined);
  const open = branches.filter((branch) => branch.open === true);
  const indexed = branches.filter(
    (branch) => branch.keys === undefined && branch.open !== true && branch.source.startsWith("{"),
  );
  if (open.length + indexed.length > 0 && objects.length + open.length + indexed.length > 1) return undefined;
  const keys = [...new Set(objects.flatMap((branch) => branch.keys ?? []))];
  // Every object has a constructor to the checker, so that "constructor?: never" refuses them all.
  if (keys.includes("constructor") && objects.some((branch) => !branch.keys?.includes("constructor"))) return undefined;
  // Beside an array the checker knows numeric keys, and takes them on an object as well.
  const arrays = branches.some((branch) => branch.keys === undefined && branch.good.some(Array.isArray));
  if (arrays && keys.some((key) => NUMERIC.test(key))) return undefined;
  if (arrays && indexed.length > 0) return undefined;
  const oracles = branches.map((branch) => {
    const foreign = keys.filter((key) => !branch.keys?.includes(key));
    return branch.keys === undefined || foreign.length === 0
      ? branch.keys !== undefined && arrays
        ? `(${branch.oracle}${NO_INDEX})`
        : branch.oracle
      : `(${branch.oracle}${arrays ? NO_INDEX : ""} & { ${foreign.map((key) => `${text(key)}?: never`).join("; ")} })`;
  });
  const source = branches.map((branch) => paren(branch.source)).join(" | ");
  return {
    source,
    oracle: oracles.map(paren).join(" | "),
    oracleBranches: oracles,
    branches,
    good: branches.flatMap((branch) => branch.good.slice(0, 4)),
    ...combine(branches),
    // never vanishes in a union, and JSON has no undefined.
    refused:
      branches.every((branch) => branch.refused) ||
      branches.some((branch) => branch.refused && !["never", "undefined", "void"].includes(branch.source)),
  };
}

function intersectionOf(a: TypeSource, b: TypeSource): TypeSource | undefined {
  if (a.keys === undefined || b.keys === undefined || a.keys.some((key) => b.keys?.includes(key))) return undefined;
  const good = a.good.flatMap((left) =>
    b.good.slice(0, 1).map((right) => ({ ...(left as object), ...(right as object) }) as Json),
  );
  return {
    source: `${paren(a.source)} & ${paren(b.source)}`,
    oracle: `${paren(a.oracle)} & ${paren(b.oracle)}`,
    good,
    ...combine([a, b]),
    keys: [...a.keys, ...b.keys],
    undefinedMembers: a.undefinedMembers === true || b.undefinedMembers === true,
  };
}

function utilityOf(
  object: TypeSource,
  name: "Partial" | "Readonly" | "Pick" | "Omit" | "Mapped" | "Keyof" | "Indexed",
): TypeSource | undefined {
  const [key] = object.keys ?? [];
  if (object.keys === undefined || key === undefined || object.refused || object.source.includes("& {"))
    return undefined;
  const parts = combine([object]);
  const wrap = (before: string, after: string, keys: readonly string[], good: readonly Json[]): TypeSource => ({
    undefinedMembers: object.undefinedMembers === true,
    source: `${before}${object.source}${after}`,
    oracle: `${before}${object.oracle}${after}`,
    good,
    keys,
    ...parts,
  });
  const without = (value: Json, drop: (name: string) => boolean): Json =>
    Object.fromEntries(Object.entries(value as object).filter(([each]) => !drop(each))) as Json;
  switch (name) {
    case "Partial":
      if (object.keys.includes("constructor")) return undefined;
      return wrap("Partial<", ">", object.keys, [{}, ...object.good]);
    case "Readonly":
      return wrap("Readonly<", ">", object.keys, object.good);
    case "Pick":
      return wrap(
        "Pick<",
        `, ${text(key)}>`,
        [key],
        object.good.map((value) => without(value, (each) => each !== key)),
      );
    case "Omit": {
      const rest = object.keys.filter((each) => each !== key);
      if (rest.length === 0) return undefined;
      return wrap(
        "Omit<",
        `, ${text(key)}>`,
        rest,
        object.good.map((value) => without(value, (each) => each === key)),
      );
    }
    case "Mapped":
      if (object.undefinedMembers === true) return undefined;
      return {
        source: `{ [K in keyof ${object.source}]: boolean }`,
        oracle: `{ [K in keyof ${object.oracle}]: boolean }`,
        good: object.good.map(
          (value) => Object.fromEntries(Object.keys(value as object).map((each) => [each, true])) as Json,
        ),
        keys: object.keys,
        ...parts,
        refused: false,
      };
    case "Keyof":
      return {
        ...leaf(`keyof ${paren(object.source)}`, object.keys, union(object.keys)),
        declarations: parts.declarations,
        depth: parts.depth,
      };
    default:
      return undefined;
  }
}

/** Whether a type survives under another name as what it looks like here. */
function isSolid({ source }: TypeSource): boolean {
  return !TOP.has(source) && !ABSENT.has(source) && source !== "never";
}

function recursive(value: TypeSource, id: number, form: "tree" | "list" | "json"): TypeSource {
  const name = `R${id}`;
  const sample = first(value);
  const parts = combine([value]);
  const oracleName = `O${id}`;
  if (form === "json") {
    const declare = (own: string, inner: string, rest = "") =>
      `type ${own} = ${inner} | ${own}[] | ({ next: ${own} }${rest});`;
    return {
      source: name,
      oracle: oracleName,
      good: sample === undefined ? [[], [[]]] : [sample, [sample], { next: [sample] }, []],
      ...parts,
      open: true,
      depth: parts.depth + 4,
      declarations: [
        ...parts.declarations,
        { source: declare(name, paren(value.source)), oracle: declare(oracleName, paren(value.oracle), NO_INDEX) },
      ],
    };
  }
  const body = (own: string, inner: string) =>
    form === "tree" ? `{ value: ${inner}; children: ${own}[] }` : `{ value: ${inner}; next?: ${own} | null }`;
  const leafValue = (rest: Json): Json[] =>
    sample === undefined ? [] : [{ value: sample, ...(rest as object) } as Json];
  const good =
    form === "tree"
      ? leafValue({ children: [] }).flatMap((each) => [each, { value: sample as Json, children: [each, each] }])
      : leafValue({}).flatMap((each) => [each, { value: sample as Json, next: { value: sample as Json, next: null } }]);
  return {
    source: name,
    oracle: oracleName,
    good,
    ...parts,
    keys: form === "tree" ? ["value", "children"] : ["value", "next"],
    depth: parts.depth + 4,
    declarations: [
      ...parts.declarations,
      {
        source: `interface ${name} ${body(name, value.source)}`,
        oracle: `interface ${oracleName} ${body(oracleName, value.oracle)}`,
      },
    ],
  };
}

function generic(value: TypeSource, id: number): TypeSource {
  const name = `G${id}`;
  const sample = value.good.slice(0, 4);
  return {
    source: `${name}<${value.source}>`,
    oracle: `{ items: ${paren(value.oracle)}[]; next?: string; one: ${value.oracle} | null }`,
    good: sample.flatMap((each): Json[] => [
      { items: [each], one: null },
      { items: [], next: "a", one: each },
    ]),
    ...combine([value]),
    keys: ["items", "next", "one"],
    declarations: [
      ...value.declarations,
      { source: `interface ${name}<T> { items: T[]; next?: string; one: T | null }`, oracle: "" },
    ],
  };
}

/** What stands for a free type parameter: its constraint. */
function constrained(value: TypeSource, id: number): TypeSource {
  const name = `F${id}`;
  return {
    ...value,
    source: name,
    ...combine([value]),
    refused: value.refused,
    declarations: [
      ...value.declarations,
      {
        source: `type ${name}Of<T extends ${value.source}> = T;\ntype ${name} = ${name}Of<${value.source}>;`,
        oracle: "",
      },
    ],
  };
}

// Without a bias to round numbers, or two types would share a name.
const id = fc.noBias(fc.integer({ min: 1, max: 2 ** 30 }));

/** Types of every kind. `depth` bounds how they nest. */
const anyType: fc.Arbitrary<TypeSource> = fc.letrec<{
  type: TypeSource;
  object: TypeSource;
  leaf: TypeSource;
}>((tie) => ({
  leaf: fc.oneof(
    { weight: 30, arbitrary: primitive },
    { weight: 30, arbitrary: literal },
    { weight: 24, arbitrary: codec },
    { weight: 24, arbitrary: template },
    { weight: 18, arbitrary: mapping },
    { weight: 18, arbitrary: brand },
    { weight: 12, arbitrary: enumeration },
    { weight: 12, arbitrary: anyObject },
    { weight: 12, arbitrary: anything },
    { weight: 1, arbitrary: refused },
  ),
  object: fc
    .tuple(
      fc.array(
        fc.record({
          key: fc.constantFrom(...KEYS),
          type: tie("type"),
          presence: fc.constantFrom<Member["presence"]>("required", "required", "optional", "undefined"),
          note: fc.constantFrom<Member["note"]>("", "", "doc", "readonly"),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      fc.constantFrom<"literal" | "interface" | "class" | "alias">("literal", "literal", "interface", "class", "alias"),
      id,
    )
    .map(([members, spelling, number]) => objectOf(members, spelling, number)),
  type: fc.oneof(
    { maxDepth: 5, depthSize: "medium", withCrossShrink: true },
    { weight: 6, arbitrary: tie("leaf") },
    { weight: 6, arbitrary: tie("object") },
    {
      weight: 3,
      arbitrary: fc
        .tuple(tie("type"), fc.constantFrom<"[]" | "Array" | "readonly">("[]", "Array", "readonly"))
        .map(([type, spelling]) => arrayOf(type, spelling)),
    },
    {
      weight: 3,
      arbitrary: fc
        .array(fc.record({ type: tie("type"), kind: fc.constantFrom<Slot["kind"]>("required", "optional", "rest") }), {
          minLength: 1,
          maxLength: 4,
        })
        .map(tupleOf),
    },
    { weight: 2, arbitrary: tie("type").map(setOf) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie("type"), fc.constantFrom<"string" | "number">("string", "number"))
        .map(([type, key]) => mapOf(type, key)),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(
          tie("type"),
          fc.constantFrom<"string" | "number" | "template" | "literals">("string", "number", "template", "literals"),
        )
        .map(([type, key]) => recordOf(type, key)),
    },
    {
      weight: 5,
      arbitrary: fc
        .array(tie("type"), { minLength: 2, maxLength: 4 })
        .map((branches) => unionOf(branches) ?? (branches[0] as TypeSource)),
    },
    { weight: 3, arbitrary: fc.tuple(tie("object"), tie("object")).map(([a, b]) => intersectionOf(a, b) ?? a) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          tie("object"),
          fc.constantFrom<"Partial" | "Readonly" | "Pick" | "Omit" | "Mapped" | "Keyof">(
            "Partial",
            "Readonly",
            "Pick",
            "Omit",
            "Mapped",
            "Keyof",
          ),
        )
        .map(([object, name]) => utilityOf(object, name) ?? object),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie("leaf"), id, fc.constantFrom<"tree" | "list" | "json">("tree", "list", "json"))
        .map(([value, number, form]) => (isSolid(value) ? recursive(value, number, form) : value)),
    },
    { weight: 2, arbitrary: fc.tuple(tie("type"), id).map(([value, number]) => generic(value, number)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie("leaf"), id)
        .map(([value, number]) => (isSolid(value) ? constrained(value, number) : value)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...KEYS.slice(0, 4)), fc.constantFrom(...TAGS))
        .map(([key, tag]) => constrainedMember(key, tag)),
    },
  ),
})).type;

function refusedByName(source: string): fc.Arbitrary<TypeSource> {
  return fc.constant<TypeSource>({ ...leaf(source, [], "never"), refused: true });
}

// Often, since nothing else reaches their mappers.
const NAMED = ["never", "never", "never", "never", "never", "undefined", "undefined", "symbol"];

/** A type without a JSON form where something stands: the answer must be an error, wherever that is. */
const refusedSomewhere = fc
  .tuple(
    fc.oneof(refused, ...NAMED.map(refusedByName)),
    fc.constantFrom("itself", "element", "slot", "member", "value"),
    id,
  )
  .map(([type, place, number]) => {
    switch (place) {
      case "element":
        return arrayOf(type, "[]");
      case "slot":
        return tupleOf([
          { type: leaf("string", ["a"]), kind: "required" },
          { type, kind: "required" },
        ]);
      case "member":
        return ABSENT.has(type.source)
          ? type
          : objectOf([{ key: "a", type, presence: "required", note: "" }], "interface", number);
      case "value":
        return recordOf(type, "string");
      default:
        return type;
    }
  });

/** Types of every kind, some of which must be refused. */
export const typeSource: fc.Arbitrary<TypeSource> = fc.oneof(
  { weight: 8, arbitrary: anyType },
  { weight: 1, arbitrary: refusedSomewhere },
);

/** Whether a type can be the constraint of a type parameter that stands for it. */
export function canConstrain(type: TypeSource): boolean {
  return !type.refused && isSolid(type);
}
