/** What a span says: numbers, texts, yes or no, and lists of texts. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** One operation that is worth a span. */
export interface SpanStart {
  readonly name: string;
  /** `client` for what leaves the process. */
  readonly kind: "client" | "internal";
  readonly attributes: SpanAttributes;
}

/** A span under way. */
export interface OpenSpan {
  /** Adds what became known. */
  set(attributes: SpanAttributes): void;
  /** Marks the operation as failed although it gives back a value: `error.type`. */
  fail(errorType: string): void;
}

/** Where spans go. */
export interface Telemetry {
  /** Whether messages, arguments and results are to be shown. */
  readonly contents: boolean;
  /**
   * Runs `work` inside a span; spans that begin meanwhile are its children. Its end is that of `work`; what `work` throws
   * is thrown on, and the span is marked as failed with the error's `code`.
   */
  withSpan<Result>(start: SpanStart, work: (span: OpenSpan) => Promise<Result>): Promise<Result>;
}

const NO_SPAN: OpenSpan = { set: () => {}, fail: () => {} };

/** Runs the work and nothing else. */
export const noTelemetry: Telemetry = { contents: false, withSpan: (_, work) => work(NO_SPAN) };
