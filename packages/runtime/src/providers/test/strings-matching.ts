/** Printable ASCII, the likeliest characters first. */
const ALPHABET = [
  ..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  ..." -_.,:;!?@#$%&*+=/'\"()[]{}<>|\\^~`\n\t",
];
const MOST_STRINGS = 200;

/**
 * Some strings that a regular expression matches, short ones first; always the same. Understands what TypeScript's
 * template types and usual constraints need: literals, classes, groups, alternatives, quantifiers and anchors. What it
 * does not understand (look-around, back-references) gives strings that do not match, and those are left out.
 */
export function stringsMatching(pattern: string): string[] {
  let expression: RegExp;
  let node: Node;
  try {
    expression = new RegExp(pattern, "u");
    node = new Parser(pattern).parse();
  } catch {
    return [];
  }
  const found = new Set<string>();
  for (let round = 0; round < MOST_STRINGS; round += 1) {
    const seed = Math.floor(round / 2) % 8;
    const text = generate(node, {
      extra: Math.floor(round / 16),
      choose: round % 2 === 0 ? always(seed) : inTurn(seed),
    });
    if (expression.test(text)) found.add(text);
  }
  return [...found];
}

type Node =
  | { readonly kind: "text"; readonly choices: readonly string[] }
  | { readonly kind: "sequence"; readonly parts: readonly Node[] }
  | { readonly kind: "either"; readonly branches: readonly Node[] }
  | { readonly kind: "repeat"; readonly part: Node; readonly least: number; readonly most: number };

interface Taste {
  /** How many more times than the least a part is repeated. */
  readonly extra: number;
  /** Which of so many choices is taken. */
  choose(count: number): number;
}

/** The same choice everywhere. */
function always(seed: number): Taste["choose"] {
  return (count) => seed % count;
}

/** Choices that count up from the first one on, as digits do. */
function inTurn(seed: number): Taste["choose"] {
  let rest = seed;
  return (count) => {
    const choice = rest % count;
    rest = Math.floor(rest / count);
    return choice;
  };
}

function generate(node: Node, taste: Taste): string {
  switch (node.kind) {
    case "text":
      return node.choices[taste.choose(node.choices.length)] ?? "";
    case "sequence":
      return node.parts.map((part) => generate(part, taste)).join("");
    case "either":
      return generate(node.branches[taste.choose(node.branches.length)] as Node, taste);
    case "repeat": {
      const times = Math.min(node.least + taste.extra, node.most);
      return Array.from({ length: times }, () => generate(node.part, taste)).join("");
    }
  }
}

class Parser {
  readonly #source: string[];
  #position = 0;

  constructor(pattern: string) {
    this.#source = [...pattern];
  }

  parse(): Node {
    const branches = [this.#sequence()];
    while (this.#take("|")) branches.push(this.#sequence());
    return branches.length === 1 ? (branches[0] as Node) : { kind: "either", branches };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (let next = this.#peek(); next !== undefined && next !== "|" && next !== ")"; next = this.#peek()) {
      const part = this.#atom();
      if (part !== undefined) parts.push(this.#quantified(part));
    }
    return { kind: "sequence", parts };
  }

  #atom(): Node | undefined {
    const character = this.#next();
    switch (character) {
      case "^":
      case "$":
        return undefined;
      case ".":
        return { kind: "text", choices: ALPHABET.filter((letter) => letter !== "\n") };
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\":
        return this.#escape();
      default:
        return { kind: "text", choices: [character] };
    }
  }

  #group(): Node | undefined {
    if (this.#take("?")) {
      const sign = this.#next();
      if (sign === "<" && this.#peek() !== "=" && this.#peek() !== "!") while (this.#next() !== ">");
      else if (sign !== ":") throw new SyntaxError("look-around is not understood");
    }
    const inside = this.parse();
    this.#next();
    return inside;
  }

  #class(): Node {
    const isNegated = this.#take("^");
    const members = new Set<string>();
    while (this.#peek() !== "]") {
      const from = this.#classMember();
      const isRange = from.length === 1 && this.#peek() === "-" && this.#source[this.#position + 1] !== "]";
      if (!isRange) {
        for (const member of from) members.add(member);
        continue;
      }
      this.#next();
      const first = from[0]?.codePointAt(0) ?? 0;
      const last = this.#classMember()[0]?.codePointAt(0) ?? 0;
      for (let code = first; code <= Math.min(last, first + 200); code += 1) members.add(String.fromCodePoint(code));
    }
    this.#next();
    const choices = isNegated ? ALPHABET.filter((letter) => !members.has(letter)) : [...members];
    return { kind: "text", choices };
  }

  #classMember(): readonly string[] {
    const character = this.#next();
    return character === "\\" ? choicesOf(this.#escape()) : [character];
  }

  #escape(): Node | undefined {
    const sign = this.#next();
    const ofAlphabet = (expression: RegExp): Node => ({
      kind: "text",
      choices: ALPHABET.filter((letter) => expression.test(letter)),
    });
    switch (sign) {
      case "d":
        return { kind: "text", choices: [..."1234567890"] };
      case "D":
        return ofAlphabet(/\D/);
      case "w":
        return ofAlphabet(/\w/);
      case "W":
        return ofAlphabet(/\W/);
      case "s":
        return { kind: "text", choices: [" ", "\t", "\n"] };
      case "S":
        return ofAlphabet(/\S/);
      case "b":
      case "B":
        return undefined;
      case "n":
        return { kind: "text", choices: ["\n"] };
      case "r":
        return { kind: "text", choices: ["\r"] };
      case "t":
        return { kind: "text", choices: ["\t"] };
      case "u":
      case "x":
        return { kind: "text", choices: [this.#codePoint(sign)] };
      case "p":
      case "P": {
        let name = "";
        while (!name.endsWith("}")) name += this.#next();
        return ofAlphabet(new RegExp(`\\${sign}${name}`, "u"));
      }
      default:
        return { kind: "text", choices: [sign] };
    }
  }

  #codePoint(sign: "u" | "x"): string {
    let digits = "";
    if (sign === "u" && this.#take("{")) {
      for (let next = this.#next(); next !== "}"; next = this.#next()) digits += next;
    } else for (let count = sign === "u" ? 4 : 2; count > 0; count -= 1) digits += this.#next();
    return String.fromCodePoint(Number.parseInt(digits, 16));
  }

  #quantified(part: Node): Node {
    const bounds = this.#bounds();
    if (bounds === undefined) return part;
    this.#take("?");
    return { kind: "repeat", part, least: bounds[0], most: bounds[1] };
  }

  #bounds(): readonly [number, number] | undefined {
    if (this.#take("*")) return [0, Number.POSITIVE_INFINITY];
    if (this.#take("+")) return [1, Number.POSITIVE_INFINITY];
    if (this.#take("?")) return [0, 1];
    if (!this.#take("{")) return undefined;
    let text = "";
    for (let next = this.#next(); next !== "}"; next = this.#next()) text += next;
    const [least = "0", most] = text.split(",");
    return [Number(least), most === undefined ? Number(least) : most === "" ? Number.POSITIVE_INFINITY : Number(most)];
  }

  #peek(): string | undefined {
    return this.#source[this.#position];
  }

  #next(): string {
    const character = this.#source[this.#position];
    if (character === undefined) throw new SyntaxError("the pattern ends too early");
    this.#position += 1;
    return character;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#position += 1;
    return true;
  }
}

function choicesOf(node: Node | undefined): readonly string[] {
  return node?.kind === "text" ? node.choices : [];
}
