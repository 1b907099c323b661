import { AgentError } from "../../errors/agent-error.js";
import type { Json } from "../../manifest/json-schema.js";
import type { ModelEvent } from "../../model/model-events.js";
import type { ModelRequest, Provider } from "../../model/provider.js";
import { ProviderError } from "../../model/provider-error.js";
import { beginCall } from "../model-call.js";
import { type Cassette, type Exchange, wholeRequests } from "./cassette.js";
import { equalJson, jsonDifferences } from "./json-differences.js";
import { type NormalRequest, normalRequest } from "./normal-request.js";
import { REMOVED, secretRemover } from "./remove-secrets.js";

export interface ReplayOptions {
  readonly path: string;
  /** Whether a request that was asked more often than recorded gets the first answer again. */
  readonly beginsAgain: boolean;
  readonly normalize?: ((request: NormalRequest) => NormalRequest) | undefined;
}

interface Track {
  readonly exchange: Exchange;
  readonly request: NormalRequest;
  played: boolean;
}

/** Answers from a cassette. Equal requests get their answers in the order of the recording. */
export class Replay implements Provider {
  readonly name: string;
  readonly #model: string;
  readonly #tracks: readonly Track[];
  readonly #options: ReplayOptions;
  readonly #clean = secretRemover();

  constructor(cassette: Cassette, options: ReplayOptions) {
    const slash = cassette.model.indexOf("/");
    this.name = cassette.model.slice(0, slash);
    this.#model = cassette.model.slice(slash + 1);
    const requests = wholeRequests(cassette);
    this.#tracks = cassette.exchanges.map((exchange, index) => ({
      exchange,
      request: requests[index] as NormalRequest,
      played: false,
    }));
    this.#options = options;
  }

  /** How many exchanges were not asked for. */
  get unplayed(): number {
    return this.#tracks.filter(({ played }) => !played).length;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { normalize = (same) => same } = this.#options;
    const { events, reply, failure } = this.#find(normalize(normalRequest(request)));
    const call = beginCall(request, this.name, () => undefined);
    try {
      for (const { type, pieces } of events) {
        for (const text of request.stream === false ? [pieces.join("")] : pieces) {
          if (call.signal.aborted) throw call.failure(call.signal.reason);
          yield { type, text };
        }
      }
      if (call.signal.aborted) throw call.failure(call.signal.reason);
      if (failure !== undefined) {
        throw new ProviderError(failure.message, { ...failure, provider: this.name, model: this.#model });
      }
      if (reply !== undefined) yield { type: "reply", reply: structuredClone(reply) };
    } finally {
      call.end();
    }
  }

  #find(request: NormalRequest): Exchange {
    const equal = this.#tracks.filter((track) => fits(track.request, request));
    let track = equal.find(({ played }) => !played);
    if (track === undefined && equal.length > 0 && this.#options.beginsAgain) {
      for (const each of equal) each.played = false;
      track = equal[0];
    }
    if (track === undefined) throw this.#unknown(request, equal.length);
    track.played = true;
    return track.exchange;
  }

  #unknown(request: NormalRequest, recordedOften: number): AgentError {
    const { path } = this.#options;
    const place = `the cassette ${path}`;
    if (recordedOften > 0) {
      return new AgentError(`${place} holds this request ${recordedOften} times, and it was asked once more`, {
        code: "replay-mismatch",
      });
    }
    const nearest = this.#nearest(request);
    if (nearest === undefined) {
      return new AgentError(`${place} holds no more requests: all ${this.#tracks.length} were replayed`, {
        code: "replay-mismatch",
      });
    }
    const { position, differences } = nearest;
    return new AgentError(
      `${place} does not hold this request. From request ${position + 1} of ${this.#tracks.length}, the nearest one, it differs in\n${differences.map((line) => `- ${line}`).join("\n")}\nRecord it anew with the model test/record/${path}:${this.name}/${this.#model}, or make the same request again.`,
      { code: "replay-mismatch" },
    );
  }

  /** The request that was most likely meant: with the longest beginning of the conversation in common. */
  #nearest(request: NormalRequest): { position: number; differences: readonly string[] } | undefined {
    let best: { position: number; common: number } | undefined;
    for (const [position, track] of this.#tracks.entries()) {
      if (track.played && !this.#options.beginsAgain) continue;
      const common = commonMessages(track.request.messages, request.messages);
      if (best === undefined || common > best.common) best = { position, common };
    }
    const track = best && this.#tracks[best.position];
    if (best === undefined || track === undefined) return undefined;
    // What is secret here was no secret where the cassette was recorded, or has no form; a message may end up in a log.
    const shown = this.#clean(request) as NormalRequest;
    return { position: best.position, differences: jsonDifferences(track.request, shown, { texts: fitsText }) };
  }
}

/** Whether a request is the recorded one. What was removed as a secret may be anything: it is another one elsewhere. */
function fits(recorded: unknown, asked: unknown): boolean {
  return equalJson(recorded, asked, { texts: fitsText });
}

function fitsText(recorded: string, asked: string): boolean {
  if (recorded === asked) return true;
  const [start = "", ...rest] = recorded.split(REMOVED);
  if (rest.length === 0 || !asked.startsWith(start)) return false;
  const end = rest.pop() ?? "";
  let from = start.length;
  for (const piece of rest) {
    const at = asked.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return asked.length - end.length >= from && asked.endsWith(end);
}

function commonMessages(recorded: Json | undefined, asked: Json | undefined): number {
  if (!Array.isArray(recorded) || !Array.isArray(asked)) return 0;
  const first = recorded.findIndex((message, index) => !fits(message, asked[index]));
  return first < 0 ? recorded.length : first;
}
