import { resolve } from "node:path";
import { AgentError } from "../../errors/agent-error.js";
import type { Json } from "../../manifest/json-schema.js";
import type { ModelEvent, ModelReply } from "../../model/model-events.js";
import type { ModelRequest, Provider } from "../../model/provider.js";
import { ProviderError } from "../../model/provider-error.js";
import {
  CASSETTE_VERSION,
  type Exchange,
  prepareCassette,
  type RecordedEvents,
  type RecordedFailure,
  writeCassette,
} from "./cassette.js";
import { type NormalRequest, normalRequest } from "./normal-request.js";
import { type KnownSecrets, secretRemover } from "./remove-secrets.js";

/** Fewer messages that are the same are easier to read where they are. */
const FEWEST_SHARED = 2;

/** One request, and what came of it once it is over. */
interface Place {
  finished?: Exchange;
  /** Tells its messages apart. */
  keys: readonly number[];
  /** Once it is over. */
  shared?: Shared | undefined;
}

type Finished = Place & { readonly finished: Exchange };

/** Messages that begin as another exchange's do. */
interface Shared {
  readonly with: Place;
  readonly first: number;
}

/** Writes one cassette, anew after each exchange. */
export class Recorder {
  readonly path: string;
  readonly model: string;
  readonly #tools: { [name: string]: Json } = {};
  readonly #toolNames = new Map<string, string>();
  readonly #messageKeys = new Map<string, number>();
  /** In the order in which the requests began. */
  readonly #exchanges: Place[] = [];

  constructor(path: string, model: string) {
    this.path = path;
    this.model = model;
  }

  /** @returns A function that takes the exchange once it is over. */
  begin(): (exchange: Exchange) => void {
    if (this.#exchanges.length === 0) prepareCassette(this.path);
    const place: Place = { keys: [] };
    this.#exchanges.push(place);
    return (exchange) => {
      place.finished = { ...exchange, request: this.#nameTools(exchange.request) };
      const { messages } = exchange.request;
      if (Array.isArray(messages)) place.keys = messages.map((message) => this.#keyOf(message));
      place.shared = this.#sharedBy(place);
      writeCassette(this.path, {
        cassetteVersion: CASSETTE_VERSION,
        model: this.model,
        tools: this.#tools,
        exchanges: this.#finished(),
      });
    };
  }

  #finished(): Exchange[] {
    const places = this.#exchanges.filter((place): place is Finished => place.finished !== undefined);
    const positions = new Map(places.map((place, index) => [place as Place, index]));
    return places.map(({ finished, shared }) => {
      if (shared === undefined) return finished;
      const { messages } = finished.request as { readonly messages: readonly Json[] };
      const { first } = shared;
      const asIn = positions.get(shared.with) as number;
      return { ...finished, request: { ...finished.request, messages: { asIn, first, more: messages.slice(first) } } };
    });
  }

  /** The exchange before it whose messages begin most like its own. */
  #sharedBy(given: Place): Shared | undefined {
    let best: Shared | undefined;
    for (const place of this.#exchanges) {
      if (place === given) break;
      if (place.finished === undefined) continue;
      let first = 0;
      while (first < given.keys.length && given.keys[first] === place.keys[first]) first += 1;
      if (first >= Math.max(FEWEST_SHARED, best?.first ?? 0)) best = { with: place, first };
    }
    return best;
  }

  /** Equal messages have equal numbers. */
  #keyOf(message: Json): number {
    const text = JSON.stringify(message);
    let key = this.#messageKeys.get(text);
    if (key === undefined) {
      key = this.#messageKeys.size;
      this.#messageKeys.set(text, key);
    }
    return key;
  }

  #nameTools(request: NormalRequest): NormalRequest {
    if (request.tools === undefined) return request;
    const key = JSON.stringify(request.tools);
    let name = this.#toolNames.get(key);
    if (name === undefined) {
      name = `tools-${this.#toolNames.size + 1}`;
      this.#toolNames.set(key, name);
      this.#tools[name] = request.tools;
    }
    return { ...request, tools: name };
  }
}

const recorders = new Map<string, Recorder>();

/** The recorder of `test/record/PATH:MODEL`: a cassette begins anew with the first request of a process. */
export function recorderOf(path: string, model: string): Recorder {
  // One file may be named in several ways.
  const file = resolve(path);
  let recorder = recorders.get(file);
  if (recorder === undefined) {
    recorder = new Recorder(path, model);
    recorders.set(file, recorder);
  }
  if (recorder.model !== model) {
    throw new AgentError(
      `the cassette ${path} is being recorded from ${recorder.model}, so ${model} needs a cassette of its own`,
      { code: "cassette-model" },
    );
  }
  return recorder;
}

export interface RecordingOptions {
  /** Without the provider's prefix. */
  readonly model: string;
  readonly recorder: Recorder;
  readonly secrets?: KnownSecrets;
  readonly normalize?: ((request: NormalRequest) => NormalRequest) | undefined;
}

/** Asks another model and records what it answers. The caller sees what the model said, secrets and all. */
export class Recording implements Provider {
  readonly name: string;
  readonly #inner: Provider;
  readonly #options: RecordingOptions;
  readonly #clean: (value: Json) => Json;

  constructor(inner: Provider, options: RecordingOptions) {
    this.name = inner.name;
    this.#inner = inner;
    this.#options = options;
    this.#clean = secretRemover(options.secrets);
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { model, recorder, normalize = (same) => same } = this.#options;
    const normal = this.#clean(normalize(normalRequest(request))) as NormalRequest;
    const finish = recorder.begin();
    const events: { type: "text" | "reasoning"; pieces: string[] }[] = [];
    try {
      for await (const event of this.#inner.stream({ ...request, model })) {
        if (event.type === "reply") {
          const reply = this.#clean(event.reply as unknown as Json) as unknown as ModelReply;
          finish({ request: normal, events: this.#cleanEvents(events), reply });
        } else if (events.at(-1)?.type === event.type) {
          events.at(-1)?.pieces.push(event.text);
        } else {
          events.push({ type: event.type, pieces: [event.text] });
        }
        yield event;
      }
    } catch (error) {
      // What the caller broke off is nothing that the model did.
      if (error instanceof ProviderError && error.code !== "aborted") {
        const failure = this.#clean(recordFailure(error) as unknown as Json) as unknown as RecordedFailure;
        finish({ request: normal, events: this.#cleanEvents(events), failure });
      }
      throw error;
    }
  }

  /** A secret may come in several pieces. */
  #cleanEvents(events: readonly RecordedEvents[]): readonly RecordedEvents[] {
    return events.map(({ type, pieces }) => {
      const text = pieces.join("");
      const clean = this.#clean(text) as string;
      return { type, pieces: clean === text ? pieces : [clean] };
    });
  }
}

function recordFailure({ code, message, retryable, retryAfterMs, status }: ProviderError): RecordedFailure {
  return {
    code,
    message,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
  };
}
