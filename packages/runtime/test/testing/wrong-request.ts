/** The body of a request, as an SDK sends it. */
export type Body = Record<string, unknown>;

/** One request that breaks one rule. */
export interface WrongRequest {
  readonly rule: string;
  readonly body: Body;
  readonly says: RegExp;
  /** The SDK's class for it; default: a bad request. */
  readonly error?: new (
    ...args: never[]
  ) => Error;
  readonly key?: string;
  readonly status?: number;
}

export const parameters = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
};

export const user = (content: unknown) => ({ role: "user", content });

/** So many string properties. */
export const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: "string" }]));
