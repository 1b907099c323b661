import type { Attributes, Span, Tracer, TracerProvider } from "@opentelemetry/api";
import { AgentError } from "../errors/agent-error.js";
import type { OpenSpan, SpanAttributes, SpanStart, Telemetry } from "./telemetry.js";

export interface TelemetryOptions {
  /** Show messages, arguments and results in spans. They hold whatever users and tools say. Default false. */
  readonly contents?: boolean;
  /**
   * A `TracerProvider` of `@opentelemetry/api`. Default: the one that is registered there. Not named by its type, so that
   * whoever does without the peer can check types.
   */
  readonly tracerProvider?: { getTracer(name: string): object };
}

/**
 * Spans by OpenTelemetry's conventions for generative AI. `@opentelemetry/api` is loaded now and not before; without a
 * registered SDK it records nothing.
 *
 * @throws {AgentError} code `telemetry-missing` when the optional peer `@opentelemetry/api` is not installed.
 */
export async function openTelemetry(options: TelemetryOptions = {}): Promise<Telemetry> {
  const api = await import("@opentelemetry/api").catch((cause: unknown) => {
    throw new AgentError("telemetry needs the package @opentelemetry/api; run npm install @opentelemetry/api", {
      code: "telemetry-missing",
      cause,
    });
  });
  const { SpanKind, SpanStatusCode, trace } = api;
  const tracer: Tracer = ((options.tracerProvider as TracerProvider | undefined) ?? trace).getTracer(
    "@callsign/runtime",
  );
  const failed = (span: Span, errorType: string): void => {
    span.setAttribute("error.type", errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  };
  return {
    contents: options.contents ?? false,
    withSpan: (start, work) =>
      tracer.startActiveSpan(start.name, spanOptions(start, SpanKind), async (span) => {
        const open: OpenSpan = {
          set: (attributes) => void span.setAttributes(known(attributes)),
          fail: (errorType) => failed(span, errorType),
        };
        try {
          return await work(open);
        } catch (error) {
          failed(span, errorType(error));
          throw error;
        } finally {
          span.end();
        }
      }),
  };
}

function spanOptions({ kind, attributes }: SpanStart, kinds: typeof import("@opentelemetry/api").SpanKind) {
  return { kind: kind === "client" ? kinds.CLIENT : kinds.INTERNAL, attributes: known(attributes) };
}

function known(attributes: SpanAttributes): Attributes {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Attributes;
}

/** A stable word, never a message: messages hold contents. */
function errorType(error: unknown): string {
  const { code, name } = (typeof error === "object" && error !== null ? error : {}) as {
    code?: unknown;
    name?: unknown;
  };
  if (typeof code === "string") return code;
  return typeof name === "string" && name !== "" ? name : "_OTHER";
}
